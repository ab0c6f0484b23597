#include "compiler/check/control_flow.h"

#include <algorithm>

#include "compiler/check/blocks.h"
#include "compiler/check/flow.h"
#include "compiler/check/loops.h"
#include "compiler/check/scatters.h"
#include "compiler/check/state_order.h"

namespace woa {

namespace {

// Blocks are counted by loops whose bounds are known.
bool all_bounded(const Graph& graph) {
  return std::ranges::all_of(graph.loops, [](const GraphLoop& loop) { return loop.max != 0 && !loop.broken; });
}

}  // namespace

void check_control_flow(Graph& graph, Report& report) {
  const std::size_t errors = report.errors();  // those before are of parameters, types and places
  if (!find_loops(graph, report) || !find_scatters(graph, report)) return;
  check_turns(graph, report);
  assign_tags(graph, report);
  const TurnGraphs turns(graph);
  Flow flow = analyse_flow(graph, turns, report);
  check_state_order(graph, turns, flow, report);
  const bool clear = graph.whole && report.errors() == errors && all_bounded(graph);
  if (clear) count_blocks(graph, turns, flow, report);  // needs every edge and its guards
}

}  // namespace woa
