#include "compiler/check/control_flow.h"

#include <algorithm>

#include "compiler/check/loops.h"
#include "compiler/check/order.h"
#include "compiler/check/scatters.h"

namespace woa {

namespace {

// Blocks can be counted only if every loop's bound is known.
bool all_bounded(const Graph& graph) {
  return std::ranges::all_of(graph.loops, [](const GraphLoop& loop) { return loop.max != 0 && !loop.broken; });
}

}  // namespace

std::optional<ControlFlow> check_control_flow(Graph& graph, Report& report) {
  const std::size_t errors = report.errors();  // earlier ones concern parameters, types and places
  if (!find_loops(graph, report) || !find_scatters(graph, report)) return std::nullopt;
  check_turns(graph, report);
  assign_tags(graph, report);
  ControlFlow shown{TurnGraphs(graph), {}};
  shown.flow = analyse_flow(graph, shown.turns, report);
  check_state_order(graph, shown.turns, shown.flow, report);
  if (!graph.whole || report.errors() != errors || !all_bounded(graph)) return std::nullopt;  // edges or guards missing
  return shown;
}

}  // namespace woa
