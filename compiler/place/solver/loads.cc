#include "compiler/place/solver/loads.h"

#include <algorithm>

namespace woa::assign {

Loads::Loads(const Problem& problem, const Neighbours& neighbours, Placement placement)
    : problem_(problem), neighbours_(neighbours), placement_(std::move(placement)), rows_(problem.rows.size()) {
  for (const Row& row : problem.rows) sharing_.emplace_back(row.shared.empty() ? 0 : problem.nodes.size() + 1, 0);
  for (std::uint32_t i = 0; i < placement_.size(); ++i) add(i, 1);
  for (std::uint32_t e = 0; e < problem_.edges.size(); ++e) add_edge(e, 1);
}

void Loads::move(std::uint32_t node, std::uint32_t component) {
  for (const std::uint32_t e : neighbours_.of(node)) add_edge(e, -1);
  add(node, -1);
  placement_[node] = component;
  add(node, 1);
  for (const std::uint32_t e : neighbours_.of(node)) add_edge(e, 1);
}

Score Loads::score() const {
  Score score{0, sum_, 0};
  const bool largest = problem_.objective == Objective::kLargestRow;
  if (largest) score.objective = 0;
  if (problem_.most_sum) score.above += std::max<Sum>(0, sum_ - *problem_.most_sum);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (const auto& limit = problem_.rows[r].limit) {
      score.above += std::max<Sum>(0, rows_[r] - *limit);
    } else if (largest) {
      score.objective = std::max(score.objective, rows_[r]);
      score.squares += static_cast<long double>(rows_[r]) * static_cast<long double>(rows_[r]);
    }
  }
  return score;
}

void Loads::add(std::uint32_t node, int sign) {
  const std::uint32_t at = placement_[node];
  if (at == kUnplaced) return;
  sum_ += sign * Sum{problem_.nodes[node][at]};
  for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r] += sign * Sum{counted(r, node, sign)};
}

Cost Loads::counted(std::size_t row, std::uint32_t node, int sign) {
  const Cost here = weight(problem_, problem_.rows[row], node, placement_[node]);
  const std::uint32_t group = sharing_[row].empty() ? 0 : problem_.rows[row].shared[node];
  if (here == 0 || group == 0) return here;
  std::uint32_t& members = sharing_[row][group];
  const bool alone = sign > 0 ? members++ == 0 : --members == 0;
  return alone ? here : 0;
}

void Loads::add_edge(std::uint32_t edge, int sign) {
  const Edge& joined = problem_.edges[edge];
  const std::uint32_t from = placement_[joined.from], to = placement_[joined.to];
  if (from == kUnplaced || to == kUnplaced) return;
  sum_ += sign * Sum{joined.cost[from * problem_.components + to]};
  for (std::size_t r = 0; r < rows_.size(); ++r)
    rows_[r] += sign * Sum{weight(problem_, problem_.rows[r], edge, from, to)};
}

}  // namespace woa::assign
