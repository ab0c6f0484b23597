#include "compiler/place/replica_edges.h"

#include <numeric>

namespace woa {

std::int32_t replica_scatter(const Graph& graph, std::uint32_t stage) {
  return graph.stages[stage].keeps_state ? -1 : graph.scatter_around(graph.stages[stage].loop);
}

std::vector<ReplicaEdge> replica_edges(const Graph& graph, const GraphEdge& edge) {
  const std::uint32_t writers = graph.stages[edge.from_stage].replicas;
  const std::uint32_t readers = graph.stages[edge.to_stage].replicas;
  const std::uint32_t alike = std::gcd(writers, readers);
  const bool same = replica_scatter(graph, edge.from_stage) == replica_scatter(graph, edge.to_stage);
  const bool held = graph.stages[edge.to_stage].inputs[edge.to_port].hold;
  std::vector<ReplicaEdge> pairs;
  for (std::uint32_t w = 0; w < writers; ++w) {
    for (std::uint32_t r = 0; r < readers; ++r) {
      if (!held && same && w % alike != r % alike) continue;
      const bool given = same && writers % readers == 0;  // by the writer
      pairs.push_back({w, r, !held && !given && readers > 1});
    }
  }
  return pairs;
}

}  // namespace woa
