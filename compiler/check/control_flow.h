// Shows that every course of an instance ends at the sink, and with how many blocks on every edge.
#pragma once

#include "compiler/check/graph.h"

namespace woa {

// Finds loops and scatters, gives them their counters in the tag, shows that the rules of docs/liveness.md are kept,
// and sets b(e) of every edge; adds the edges that carry counts. Reports what is not so; then the graph is not to be
// used.
void check_control_flow(Graph& graph, Report& report);

}  // namespace woa
