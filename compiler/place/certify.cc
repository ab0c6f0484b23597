#include "compiler/place/certify.h"

#include <limits>
#include <optional>
#include <utility>

#include "compiler/place/cost_table.h"
#include "compiler/place/solver/proof.h"

namespace woa {
namespace {

// Multipliers of all edges' ends, edge after edge. Nothing if a certificate cannot hold one.
std::optional<std::vector<std::int64_t>> flat(const std::vector<std::vector<Sum>>& prices) {
  std::vector<std::int64_t> all;
  for (const auto& edge : prices)
    for (const Sum price : edge) {
      if (!fits(price)) return std::nullopt;
      all.push_back(static_cast<std::int64_t>(price));
    }
  return all;
}

std::optional<ProofLeaf> written(const assign::Leaf& leaf) {
  auto from = flat(leaf.multipliers.from), to = flat(leaf.multipliers.to);
  if (!from || !to) return std::nullopt;
  ProofLeaf out;
  for (const assign::Fixing& fixing : leaf.fixings) out.fixings.emplace_back(fixing.node, fixing.component);
  out.scale = leaf.multipliers.scale, out.sum = leaf.multipliers.sum;
  out.rows = leaf.multipliers.rows;
  out.from = std::move(*from), out.to = std::move(*to);
  out.closed = leaf.closed;
  return out;
}

std::vector<std::vector<Sum>> by_edge(const std::vector<std::int64_t>& prices, std::size_t components) {
  std::vector<std::vector<Sum>> edges;
  for (std::size_t at = 0; at + components <= prices.size(); at += components)
    edges.emplace_back(prices.begin() + static_cast<std::ptrdiff_t>(at),
                       prices.begin() + static_cast<std::ptrdiff_t>(at + components));
  return edges;
}

// Leaves sizes unchecked: lower_bound() refuses multipliers that do not fit the problem.
assign::Leaf read(const ProofLeaf& leaf, std::size_t components) {
  assign::Leaf out;
  for (const auto& [node, component] : leaf.fixings) out.fixings.push_back({node, component});
  out.multipliers = {leaf.scale, by_edge(leaf.from, components), by_edge(leaf.to, components), leaf.rows, leaf.sum};
  out.closed = leaf.closed;
  return out;
}

}  // namespace

bool fits(Sum number) noexcept {
  return number >= std::numeric_limits<std::int64_t>::min() && number <= std::numeric_limits<std::int64_t>::max();
}

Certificate certify(const PlacementGoal& goal, CostTable costs, const assign::Solution& solution) {
  Certificate out;
  out.goal = goal;
  out.costs_hash = hash_of(costs);
  out.costs = std::move(costs);
  out.placement = solution.placement;
  out.method = solution.method;
  out.value_ps = static_cast<std::int64_t>(solution.value.objective);
  out.bound_ps = static_cast<std::int64_t>(solution.bound);
  assign::Standing standing = solution.standing;
  for (const assign::Leaf& leaf : solution.proof.leaves) {
    std::optional<ProofLeaf> one = written(leaf);
    if (!one) {  // without all leaves nothing is proved
      out.leaves.clear(), out.bound_ps = 0;
      if (standing != assign::Standing::kClaimed) standing = assign::Standing::kHeuristic;
      break;
    }
    out.leaves.push_back(std::move(*one));
  }
  out.status = to_string(standing);
  return out;
}

assign::Proof proof_of(const Certificate& certificate, std::size_t components) {
  assign::Proof proof;
  for (const ProofLeaf& leaf : certificate.leaves) proof.leaves.push_back(read(leaf, components));
  return proof;
}

}  // namespace woa
