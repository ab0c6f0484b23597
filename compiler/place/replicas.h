// Where the replicas of stages run.
#pragma once

#include "compiler/check/graph.h"
#include "compiler/parse/machine_file.h"

namespace woa {

// Whether the writer of an edge has to choose among its reader's replicas.
bool is_choice(const Graph& graph, const GraphEdge& edge);

// Sets GraphStage::replica_controllers of every stage that has replicas and is not placed by costs: the first where the
// stage was placed, the others round robin over the machine's controllers of that kind which have what it needs, or all
// on one where the graph pins it. Reports stages that cannot have replicas: with state for the run, or read by an fpga,
// whose writer cannot choose among them.
void place_replicas(Graph& graph, const Machine& machine, Report& report);

}  // namespace woa
