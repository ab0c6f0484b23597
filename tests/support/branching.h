// An output with many readers, and the sites of controllers.
#pragma once

#include <string>

#include "runtime/controller/layout.h"
#include "tests/support/plan_builder.h"

namespace woa::test {

// The source's one output goes to stages s0, s1, ... on cpu:0, cpu:1, ...; each writes an output of the graph.
inline Plan branching(std::uint32_t readers, std::uint64_t max_bytes, const std::string& kernel = "append") {
  PlanBuilder builder(1, readers, max_bytes);
  for (std::uint32_t k = 0; k < readers; ++k) {
    const auto stage = builder.stage("s" + std::to_string(k), kernel, "cpu:" + std::to_string(k));
    builder.edge(kSourceStage, 0, stage, 0);
    builder.edge(stage, 0, kSinkStage, k);
  }
  return builder.build();
}

// Each controller is a site of its own.
inline Sites apart(const Plan& plan, std::uint32_t header_room) {
  Sites sites{{}, header_room};
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) sites.of.push_back(c);
  return sites;
}

}  // namespace woa::test
