#include "compiler/place/solver/reduced.h"

#include <algorithm>
#include <utility>

namespace woa::assign {
namespace {

constexpr std::uint32_t kFree = ~std::uint32_t{0};

// The one component where a node may be, or kFree.
std::uint32_t only_place(const std::vector<Cost>& costs) {
  std::uint32_t only = kFree;
  for (std::uint32_t l = 0; l < costs.size(); ++l) {
    if (costs[l] == kForbidden) continue;
    if (only != kFree) return kFree;
    only = l;
  }
  return only;
}

}  // namespace

Reduced::Reduced(const Problem& original) : original_(original), folded_(no_multipliers(original)) {
  std::vector<bool> used(original.components, false);
  std::vector<std::uint32_t> number(original.nodes.size(), kFree);
  for (std::uint32_t i = 0; i < original.nodes.size(); ++i) {
    only_.push_back(only_place(original.nodes[i]));
    if (only_[i] != kFree) continue;
    number[i] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(i);
    for (std::uint32_t l = 0; l < original.components; ++l) used[l] = used[l] || original.nodes[i][l] != kForbidden;
  }
  for (std::uint32_t l = 0; l < original.components; ++l)
    if (used[l]) components_.push_back(l);
  problem_.components = static_cast<std::uint32_t>(components_.size());
  for (const std::uint32_t i : nodes_) {
    auto& costs = problem_.nodes.emplace_back();
    for (const std::uint32_t l : components_) costs.push_back(original.nodes[i][l]);
  }
  for (std::uint32_t e = 0; e < original.edges.size(); ++e) {
    const Edge& edge = original.edges[e];
    if (only_[edge.from] != kFree || only_[edge.to] != kFree) {
      fold(e);
      continue;
    }
    Edge kept{number[edge.from], number[edge.to], {}};
    for (const std::uint32_t a : components_)
      for (const std::uint32_t b : components_) kept.cost.push_back(edge.cost[a * original.components + b]);
    problem_.edges.push_back(std::move(kept));
    edges_.push_back(e);
  }
  // Adds the costs of folded edges to their free ends.
  for (std::uint32_t e = 0; e < original.edges.size(); ++e) {
    const Edge& edge = original.edges[e];
    for (const auto& [node, prices] : {std::pair(edge.from, &folded_.from[e]), std::pair(edge.to, &folded_.to[e])})
      for (std::uint32_t l = 0; number[node] != kFree && l < problem_.components; ++l)
        if (Cost& cost = problem_.nodes[number[node]][l]; cost != kForbidden)
          cost += static_cast<Cost>((*prices)[components_[l]]);
  }
}

// The whole cost of an edge becomes the multiplier of its free end, or of its second end if none is free.
void Reduced::fold(std::uint32_t e) {
  const Edge& edge = original_.edges[e];
  const std::uint32_t k = original_.components;
  const bool to_is_free = only_[edge.from] != kFree;
  for (std::uint32_t l = 0; l < k; ++l) {
    if (to_is_free)
      folded_.to[e][l] = edge.cost[only_[edge.from] * k + l];
    else
      folded_.from[e][l] = edge.cost[l * k + only_[edge.to]];
  }
}

Solved Reduced::lift(const Solved& solved) const {
  Solved lifted{Placement(original_.nodes.size()), folded_};
  for (std::uint32_t i = 0; i < only_.size(); ++i)
    if (only_[i] != kFree) lifted.placement[i] = only_[i];
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) lifted.placement[nodes_[i]] = components_[solved.placement[i]];
  lifted.proof.scale = solved.proof.scale;
  for (auto* ends : {&lifted.proof.from, &lifted.proof.to})
    for (auto& prices : *ends)
      for (Sum& price : prices) price *= solved.proof.scale;
  for (std::size_t e = 0; e < edges_.size(); ++e)
    for (std::size_t l = 0; l < components_.size(); ++l) {
      lifted.proof.from[edges_[e]][components_[l]] = solved.proof.from[e][l];
      lifted.proof.to[edges_[e]][components_[l]] = solved.proof.to[e][l];
    }
  return lifted;
}

}  // namespace woa::assign
