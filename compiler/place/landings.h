// Outputs that would come to one controller by two ways: memory takes that, a wire does not.
#pragma once

#include <string_view>

#include "compiler/check/graph.h"
#include "compiler/diagnostics/report.h"
#include "runtime/plan/plan.h"

namespace woa {

// If `model` is rpc-nested, warns once for each stage with such an output: a call and a return, or two returns, bring
// it to a controller from different ones. Over shm they name the same block; over libfabric a block lands in a memory
// once, so the run would refuse the plan at its start (runtime/node/segments.cc). `plan`: of `graph`, without relays.
void warn_of_second_landings(const Plan& plan, std::string_view model, const Graph& graph, Report& report);

}  // namespace woa
