#include "compiler/assign/priced.h"

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
  for (std::size_t r = 0; r < problem.node_rows.size(); ++r) {
    const NodeRow& row = problem.node_rows[r];
    if (row.limit) limits_ += Sum{by.node_rows[r]} * *row.limit;
    for (std::size_t at = 0; by.node_rows[r] != 0 && at < nodes_.size(); ++at)
      nodes_[at] += Sum{by.node_rows[r]} * row.weights[at];
  }
  for (std::size_t r = 0; r < problem.edge_rows.size(); ++r) {
    const EdgeRow& row = problem.edge_rows[r];
    if (row.limit) limits_ += Sum{by.edge_rows[r]} * *row.limit;
    for (std::size_t e = 0; by.edge_rows[r] != 0 && e < problem.edges.size(); ++e)
      for (std::uint32_t a = 0; a < k; ++a)
        for (std::uint32_t b = 0; b < k; ++b)
          edges_[(e * k + a) * k + b] += Sum{by.edge_rows[r]} * weight(problem, row, e, a, b);
  }
}

}  // namespace woa::assign
