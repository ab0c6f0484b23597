#include "compiler/place/graph_edges.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace woa {
namespace {

// By relay and port: the edge on which it passes on what comes by its input of that number.
using RelayEdges = std::map<std::pair<std::uint32_t, std::uint32_t>, const EdgePlan*>;

RelayEdges relay_edges(const Plan& plan) {
  RelayEdges edges;
  for (const EdgePlan& edge : plan.edges)
    if (plan.stages[edge.from_stage].role == StageRole::kRelay && !edge.count)
      edges[{edge.from_stage, edge.from_port}] = &edge;
  return edges;
}

}  // namespace

std::vector<EdgePlan> graph_edges(const Plan& plan, std::size_t count) {
  const RelayEdges relays = relay_edges(plan);
  std::vector<EdgePlan> edges(plan.edges.begin(),
                              plan.edges.begin() + static_cast<std::ptrdiff_t>(std::min(count, plan.edges.size())));
  for (EdgePlan& edge : edges) {
    // Relays form no cycle in a valid plan; of others no more than there are are passed.
    for (std::size_t passed = 0; passed <= relays.size(); ++passed) {
      const auto next = relays.find({edge.to_stage, edge.to_port});
      if (next == relays.end()) break;
      edge.to_stage = next->second->to_stage;
      edge.to_port = next->second->to_port;
    }
  }
  return edges;
}

}  // namespace woa
