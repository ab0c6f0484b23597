#include "compiler/assign/priced.h"

#include <algorithm>

namespace woa::assign {

Priced::Priced(const Problem& problem, const Multipliers& by)
    : components_(problem.components),
      nodes_(problem.nodes.size() * problem.components, 0),
      edges_(problem.edges.size() * problem.components * problem.components, 0) {
  const std::uint32_t k = components_;
  const Sum scale = problem.objective == Objective::kSum ? by.scale : by.sum;
  if (problem.most_sum) limits_ += scale * *problem.most_sum;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i)
    for (std::uint32_t l = 0; l < k; ++l)
      nodes_[i * k + l] = problem.nodes[i][l] == kForbidden ? kNowhere : scale * problem.nodes[i][l];
  for (std::size_t e = 0; e < problem.edges.size(); ++e)
    for (std::size_t pair = 0; pair < std::size_t{k} * k; ++pair)
      edges_[e * k * k + pair] = scale * problem.edges[e].cost[pair];
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const Row& row = problem.rows[r];
    const Sum price = by.rows[r];
    if (price == 0) continue;
    if (row.limit) limits_ += price * *row.limit;
    const std::vector<Cost> divided = row.shared.empty() ? std::vector<Cost>() : divided_weights(problem, row);
    const std::vector<Cost>& weights = row.shared.empty() ? row.nodes : divided;
    for (std::size_t at = 0; at < weights.size(); ++at) nodes_[at] += price * weights[at];
    for (std::uint32_t a = 0; a < k && !row.edges.empty(); ++a)
      for (std::uint32_t b = 0; b < k; ++b) {
        const auto times = static_cast<Cost>(row.pairs[std::size_t{a} * k + b]);
        for (std::size_t e = 0; times != 0 && e < row.edges.size(); ++e) {
          edges_[(e * k + a) * k + b] += price * times * row.edges[e];
          edges_[(e * k + b) * k + a] += price * times * row.back[e];
        }
      }
  }
}

std::size_t steps_to_price(const Problem& problem) {
  const std::size_t pairs = std::size_t{problem.components} * problem.components;
  std::size_t steps = problem.nodes.size() * problem.components + problem.edges.size() * pairs + 1;
  for (const Row& row : problem.rows) {
    const auto counted = row.pairs.size() - static_cast<std::size_t>(std::ranges::count(row.pairs, 0));
    const std::size_t looks = row.shared.empty() ? 1 : 5;  // divided_weights() goes through all that often before
    steps += looks * row.nodes.size() + row.pairs.size() + (row.edges.empty() ? 0 : row.edges.size() * counted);
  }
  return steps;
}

}  // namespace woa::assign
