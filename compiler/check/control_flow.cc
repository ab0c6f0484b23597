#include "compiler/check/control_flow.h"

#include "compiler/check/blocks.h"
#include "compiler/check/flow.h"
#include "compiler/check/loops.h"
#include "compiler/check/scatters.h"
#include "compiler/check/state_order.h"

namespace woa {

void check_control_flow(Graph& graph, Report& report) {
  if (!find_loops(graph, report) || !find_scatters(graph, report)) return;
  check_turns(graph, report);
  assign_tags(graph, report);
  const TurnGraphs turns(graph);
  Flow flow = analyse_flow(graph, turns, report);
  check_state_order(graph, turns, flow, report);
  if (report.errors() == 0) count_blocks(graph, turns, flow, report);  // which needs to know everything
}

}  // namespace woa
