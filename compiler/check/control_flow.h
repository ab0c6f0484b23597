// Proves that every course of an instance ends at the sink.
#pragma once

#include <optional>

#include "compiler/check/flow.h"

namespace woa {

struct ControlFlow {
  TurnGraphs turns;  // borrows the graph
  Flow flow;
};

// Finds loops and scatters, gives them their counters in the tag, and proves that the graph keeps the rules of
// docs/liveness.md. Nothing after a report: the graph is then unusable.
std::optional<ControlFlow> check_control_flow(Graph& graph, Report& report);

}  // namespace woa
