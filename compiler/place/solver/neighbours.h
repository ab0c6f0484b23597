// The edges at each node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

class Neighbours {
 public:
  explicit Neighbours(const Problem& problem) : first_(problem.nodes.size() + 1, 0), edges_(2 * problem.edges.size()) {
    for (const Edge& edge : problem.edges) ++first_[edge.from + 1], ++first_[edge.to + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t e = 0; e < problem.edges.size(); ++e)
      edges_[next[problem.edges[e].from]++] = e, edges_[next[problem.edges[e].to]++] = e;
  }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const noexcept {
    return std::span(edges_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> edges_;
};

// The other end of the edge.
inline std::uint32_t across(const Edge& edge, std::uint32_t node) noexcept {
  return edge.from == node ? edge.to : edge.from;
}
// The cost of the edge with `node` at `here` and the other end at `there`.
inline Cost cost_of(const Problem& problem, const Edge& edge, std::uint32_t node, std::uint32_t here,
                    std::uint32_t there) noexcept {
  return edge.from == node ? edge.cost[here * problem.components + there]
                           : edge.cost[there * problem.components + here];
}

}  // namespace woa::assign
