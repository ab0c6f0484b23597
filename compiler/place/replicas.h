// Places the replicas of stages, and says which of them an edge joins.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/check/graph.h"
#include "compiler/parse/machine_file.h"

namespace woa {

// True if the writer of an edge chooses among its reader's replicas.
bool is_choice(const Graph& graph, const GraphEdge& edge);

// Sets GraphStage::replica_controllers of every stage that has replicas and is not placed by costs: the first where the
// stage was placed, the others round robin over the machine's controllers of that kind that have what the stage needs,
// or all on one if the graph pins it there. Reports stages that cannot have replicas: with state for the run, or fed by
// a device that writes its own packets, which cannot choose among them.
void place_replicas(Graph& graph, const Machine& machine, Report& report);

struct ReplicaEdge {
  std::uint32_t writer = 0, reader = 0;  // numbers of the replicas
  bool chosen = false;                   // the writer chooses the reader among several, by the tag or instance
};

// The scatter whose elements the replicas of a stage share, or -1: they share the instances, as do replicas in a
// scatter that keep state of each instance.
std::int32_t replica_scatter(const Graph& graph, std::uint32_t stage);

// The pairs that a token may take, by writer and then by reader; one pair without replicas. A held token takes all
// pairs of its writer, any other token one pair, each equally often in the long run. The graph's loops and scatters are
// known.
std::vector<ReplicaEdge> replica_edges(const Graph& graph, const GraphEdge& edge);

}  // namespace woa
