#include "compiler/place/solver/forest.h"

#include <algorithm>

#include "compiler/place/solver/bound.h"

namespace woa::assign {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// One visit: a node, and the edge to its parent.
struct Visit {
  std::uint32_t node, edge;  // kNone: a root
};

class Forest {
 public:
  // `in`: the nodes that are placed; the others stay.
  Forest(const Problem& problem, const Neighbours& neighbours, const std::vector<bool>& in, Placement& placement)
      : problem_(problem), neighbours_(neighbours), in_(in), placement_(placement), below_(problem.nodes.size()) {}

  // Orders parents before their children. False: two paths join some nodes.
  [[nodiscard]] bool visit(std::span<const std::uint32_t> nodes) {
    std::vector<bool> seen(problem_.nodes.size(), false);
    for (const std::uint32_t root : nodes) {
      if (seen[root]) continue;
      seen[root] = true;
      std::size_t next = order_.size();
      order_.push_back({root, kNone});
      for (; next < order_.size(); ++next) {
        const auto [node, up] = order_[next];
        for (const std::uint32_t e : neighbours_.of(node)) {
          const std::uint32_t other = across(problem_.edges[e], node);
          if (e == up || !in_[other]) continue;
          if (seen[other]) return false;
          seen[other] = true;
          order_.push_back({other, e});
        }
      }
    }
    return true;
  }
  void place() {
    for (auto visit = order_.rbegin(); visit != order_.rend(); ++visit) sum_up(visit->node, visit->edge);
    for (const Visit& visit : order_) choose(visit.node, visit.edge);
  }
  // Moves the least cost of each subtree to its parent: then all nodes but roots, and all edges, have a least cost of
  // 0.
  [[nodiscard]] Multipliers proof() const {
    Multipliers prices = no_multipliers(problem_);
    for (const auto& [node, up] : order_) {
      if (up == kNone) continue;
      const Edge& edge = problem_.edges[up];
      const std::uint32_t parent = across(edge, node);
      auto& of_node = edge.from == node ? prices.from[up] : prices.to[up];
      auto& of_parent = edge.from == node ? prices.to[up] : prices.from[up];
      for (std::uint32_t l = 0; l < problem_.components; ++l) {
        if (below_[node][l] < kNowhere) of_node[l] = -below_[node][l];
        if (problem_.nodes[parent][l] != kForbidden) of_parent[l] = least(node, up, l);
      }
    }
    return prices;
  }

 private:
  void sum_up(std::uint32_t node, std::uint32_t up) {
    auto& below = below_[node];
    below.assign(problem_.components, 0);
    for (std::uint32_t l = 0; l < problem_.components; ++l) {
      if (problem_.nodes[node][l] == kForbidden) {
        below[l] = kNowhere;
        continue;
      }
      below[l] = problem_.nodes[node][l];
      for (const std::uint32_t e : neighbours_.of(node)) {
        if (e == up) continue;
        const std::uint32_t other = across(problem_.edges[e], node);
        below[l] +=
            in_[other] ? least(other, e, l) : Sum{cost_of(problem_, problem_.edges[e], node, l, placement_[other])};
      }
    }
  }
  // The least cost of the subtree of `node` with the edge to its parent, which is at `there`.
  [[nodiscard]] Sum least(std::uint32_t node, std::uint32_t up, std::uint32_t there) const {
    Sum best = kNowhere;
    for (std::uint32_t l = 0; l < problem_.components; ++l)
      best = std::min(best, below_[node][l] + cost_of(problem_, problem_.edges[up], node, l, there));
    return best;
  }
  void choose(std::uint32_t node, std::uint32_t up) {
    const std::uint32_t there = up == kNone ? 0 : placement_[across(problem_.edges[up], node)];
    const auto total = [&](std::uint32_t l) {
      return below_[node][l] + (up == kNone ? 0 : cost_of(problem_, problem_.edges[up], node, l, there));
    };
    std::uint32_t best = 0;
    for (std::uint32_t l = 1; l < problem_.components; ++l)
      if (total(l) < total(best)) best = l;
    placement_[node] = best;
  }

  const Problem& problem_;
  const Neighbours& neighbours_;
  const std::vector<bool>& in_;
  Placement& placement_;
  std::vector<Visit> order_;
  std::vector<std::vector<Sum>> below_;  // by node and component: the least cost of its subtree
};

std::vector<std::uint32_t> all_nodes(const Problem& problem) {
  std::vector<std::uint32_t> nodes(problem.nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) nodes[i] = i;
  return nodes;
}

}  // namespace

bool is_forest(const Problem& problem) {
  const Neighbours neighbours(problem);
  const std::vector<bool> in(problem.nodes.size(), true);
  Placement placement(problem.nodes.size(), 0);
  return Forest(problem, neighbours, in, placement).visit(all_nodes(problem));
}

Solved solve_forest(const Problem& problem) {
  const Neighbours neighbours(problem);
  const std::vector<bool> in(problem.nodes.size(), true);
  Solved solved{Placement(problem.nodes.size(), 0), {}};
  Forest forest(problem, neighbours, in, solved.placement);
  (void)forest.visit(all_nodes(problem));
  forest.place();
  solved.proof = forest.proof();
  return solved;
}

void place_forest(const Problem& problem, const Neighbours& neighbours, const std::vector<std::uint32_t>& free,
                  Placement& placement) {
  std::vector<bool> in(problem.nodes.size(), false);
  for (const std::uint32_t node : free) in[node] = true;
  Forest forest(problem, neighbours, in, placement);
  (void)forest.visit(free);
  forest.place();
}

}  // namespace woa::assign
