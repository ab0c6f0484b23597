// Which replicas of two stages an edge joins.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/check/graph.h"

namespace woa {

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
