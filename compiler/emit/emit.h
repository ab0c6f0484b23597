// Writes a checked and placed graph down as a plan.
#pragma once

#include <optional>
#include <string>

#include "compiler/check/graph.h"

namespace woa {

// The variant of a stage's kernel that runs on a controller; the kernel has one for it.
const VariantPlan& variant_on(const GraphStage& stage, const ControllerPlan& controller);

// `graph` has passed every check, is placed and has its channels sized.
Plan emit_plan(const Graph& graph, const std::string& name, std::uint32_t window,
               std::optional<std::uint64_t> deadline_ns);

}  // namespace woa
