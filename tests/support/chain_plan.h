// A plan in which a token visits one stage after the other.
#pragma once

#include <string>

#include "tests/support/plan_builder.h"

namespace woa::test {

// source -> a (cpu:0) -> b (cpu:1) -> c (cpu:2) ... -> sink; behind the last controller the first comes again.
inline Plan chain_plan(std::uint32_t stages, const std::string& kernel = "copy", std::uint32_t controllers = 26) {
  PlanBuilder builder(1, 1);
  std::uint32_t last = kSourceStage;
  for (std::uint32_t k = 0; k < stages; ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    const std::uint32_t next = builder.stage(name, kernel, "cpu:" + std::to_string(k % controllers));
    builder.edge(last, 0, next, 0);
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0);
  return builder.build();
}

}  // namespace woa::test
