// A plan in which a token visits one controller after the other.
#pragma once

#include "tests/support/plan_builder.h"

namespace woa::test {

// source -> a stage `copy` on cpu:0 -> one on cpu:1 ... -> sink
inline Plan chain_plan(std::uint32_t controllers) {
  PlanBuilder builder(1, 1);
  std::uint32_t last = kSourceStage;
  for (std::uint32_t c = 0; c < controllers; ++c) {
    const std::string number = std::to_string(c);
    const std::uint32_t next = builder.stage("copy" + number, "copy", "cpu:" + number);
    builder.edge(last, 0, next, 0);
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0);
  return builder.build();
}

}  // namespace woa::test
