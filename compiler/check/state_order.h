// Whether firings that share state have an order.
#pragma once

#include "compiler/check/flow.h"

namespace woa {

// State of an instance is for firings in tag order, one at a time (rule 9). Reports stages of such kernels that later
// turns of a loop may reach before those before are through with them, and those of which nobody can know, when an
// element of a scatter has come, whether one before it is still to come: that get some of the elements only, or are in
// a loop or another scatter inside it. All others know it by its number alone: it is 0, or that of the last firing and
// 1. The graph has passed analyse_flow.
void check_state_order(const Graph& graph, const TurnGraphs& turns, Flow& flow, Report& report);

}  // namespace woa
