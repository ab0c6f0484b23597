// Writes a checked and placed graph as a plan.
#pragma once

#include <optional>
#include <string>

#include "compiler/check/graph.h"

namespace woa {

// Gives `plan` the variant of the stage's kernel that runs on its controller, the digest of that declaration, and who
// writes its headers. The kernel must have such a variant, or a
// modelled time there, which takes its place.
void set_variant(StagePlan& plan, const GraphStage& stage, const ControllerPlan& controller);

// `graph` has passed every check, is placed and has its channels sized.
Plan emit_plan(const Graph& graph, const std::string& name, std::uint32_t window,
               std::optional<std::uint64_t> timeout_ns);

}  // namespace woa
