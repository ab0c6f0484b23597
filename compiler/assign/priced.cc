#include "compiler/assign/priced.h"

namespace woa::assign {

Priced::Priced(const Problem& problem, const Multipliers& by)
    : components_(problem.components),
      nodes_(problem.nodes.size() * problem.components, 0),
      edges_(problem.edges.size() * problem.components * problem.components, 0) {
  const std::uint32_t k = components_;
  const Sum scale = problem.objective == Objective::kSum ? by.scale : 0;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i)
    for (std::uint32_t l = 0; l < k; ++l)
      nodes_[i * k + l] = problem.nodes[i][l] == kForbidden ? kNowhere : scale * problem.nodes[i][l];
  for (std::size_t e = 0; e < problem.edges.size(); ++e)
    for (std::size_t pair = 0; pair < std::size_t{k} * k; ++pair)
      edges_[e * k * k + pair] = scale * problem.edges[e].cost[pair];
  for (std::size_t r = 0; r < problem.node_rows.size(); ++r) {
    const NodeRow& row = problem.node_rows[r];
    if (row.limit) limits_ += Sum{by.node_rows[r]} * *row.limit;
    for (std::size_t i = 0; by.node_rows[r] != 0 && i < problem.nodes.size(); ++i)
      nodes_[i * k + row.component] += Sum{by.node_rows[r]} * row.weights[i];
  }
  for (std::size_t r = 0; r < problem.edge_rows.size(); ++r) {
    const EdgeRow& row = problem.edge_rows[r];
    if (row.limit) limits_ += Sum{by.edge_rows[r]} * *row.limit;
    for (std::size_t e = 0; by.edge_rows[r] != 0 && e < problem.edges.size(); ++e) {
      edges_[(e * k + row.from) * k + row.to] += Sum{by.edge_rows[r]} * row.weights[e];
      edges_[(e * k + row.to) * k + row.from] += Sum{by.edge_rows[r]} * row.back[e];
    }
  }
}

}  // namespace woa::assign
