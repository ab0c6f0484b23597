#include "compiler/assign/list_schedule.h"

#include <algorithm>
#include <numeric>

#include "compiler/assign/loads.h"

namespace woa::assign {
namespace {

// Itself and its edges, where that is dearest.
std::vector<Sum> most_by_node(const Problem& problem) {
  std::vector<Sum> most(problem.nodes.size(), 0);
  for (std::size_t i = 0; i < problem.nodes.size(); ++i)
    for (const Cost cost : problem.nodes[i])
      if (cost != kForbidden) most[i] = std::max<Sum>(most[i], cost);
  for (const Edge& edge : problem.edges) {
    const Cost cost = *std::ranges::max_element(edge.cost);
    most[edge.from] += cost, most[edge.to] += cost;
  }
  return most;
}

std::uint32_t best_place(const Problem& problem, Loads& loads, std::uint32_t node) {
  std::uint32_t best = kUnplaced;
  Score least;
  for (std::uint32_t l = 0; l < problem.components; ++l) {
    if (problem.nodes[node][l] == kForbidden) continue;
    loads.move(node, l);
    if (const Score score = loads.score(); best == kUnplaced || score < least) best = l, least = score;
  }
  return best;
}

}  // namespace

Placement list_schedule(const Problem& problem, const Neighbours& neighbours) {
  const std::vector<Sum> most = most_by_node(problem);
  std::vector<std::uint32_t> list(problem.nodes.size());
  std::iota(list.begin(), list.end(), 0U);
  std::ranges::stable_sort(list, std::greater<>(), [&](std::uint32_t node) { return most[node]; });
  Loads loads(problem, neighbours, Placement(problem.nodes.size(), kUnplaced));
  for (const std::uint32_t node : list) loads.move(node, best_place(problem, loads, node));
  return loads.placement();
}

}  // namespace woa::assign
