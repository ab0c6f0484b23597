// Shows that every course of an instance ends at the sink.
#pragma once

#include <optional>

#include "compiler/check/flow.h"

namespace woa {

struct ControlFlow {
  TurnGraphs turns;  // borrows the graph
  Flow flow;
};

// Finds loops and scatters, gives them their counters in the tag, and shows that the rules of docs/liveness.md are
// kept. Nothing after a report: then the graph is not to be used.
std::optional<ControlFlow> check_control_flow(Graph& graph, Report& report);

}  // namespace woa
