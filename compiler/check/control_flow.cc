#include "compiler/check/control_flow.h"

#include "compiler/check/loops.h"
#include "compiler/check/order.h"
#include "compiler/check/scatters.h"

namespace woa {

std::optional<ControlFlow> check_control_flow(Graph& graph, Report& report) {
  if (!find_loops(graph, report) || !find_scatters(graph, report)) return std::nullopt;
  check_turns(graph, report);
  assign_tags(graph, report);
  ControlFlow shown{TurnGraphs(graph), {}};
  shown.flow = analyse_flow(graph, shown.turns, report);
  check_state_order(graph, shown.turns, shown.flow, report);
  if (report.errors() != 0) return std::nullopt;
  return shown;
}

}  // namespace woa
