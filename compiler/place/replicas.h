// Where the replicas of stages run, and which of them an edge joins.
#pragma once

#include <cstdint>
#include <vector>

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

struct ReplicaEdge {
  std::uint32_t writer = 0, reader = 0;  // numbers of the replicas
  bool chosen = false;                   // the reader is one of several that the writer chooses among, by the tag
};

// The scatter whose elements the replicas of a stage share, or -1: they share the instances, as those do in a scatter,
// too, that keep state of each.
std::int32_t replica_scatter(const Graph& graph, std::uint32_t stage);

// Those pairs that a token may take, by writer and then by reader: one without replicas. A held token takes all of its
// writer's, another one of all: each as often as the others, in the long run. Loops and scatters are known.
std::vector<ReplicaEdge> replica_edges(const Graph& graph, const GraphEdge& edge);

}  // namespace woa
