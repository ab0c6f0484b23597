#include "compiler/place/solver/sum_tables.h"

#include <algorithm>
#include <utility>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/loads.h"

namespace woa::assign {

std::vector<LinearSum> sums_of(const Problem& problem, Multipliers more) {
  std::vector<LinearSum> sums;
  Multipliers none = no_multipliers(problem);
  sums.push_back({std::move(more), true, 0});
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const Row& row = problem.rows[r];
    if (!row.limit && problem.objective == Objective::kSum) continue;
    LinearSum& sum = sums.emplace_back(LinearSum{none, !row.limit, row.limit.value_or(0)});
    sum.by.rows[r] = 1;
    sum.by.scale = row.limit ? 0 : 1;
  }
  if (problem.most_sum) {
    LinearSum& sum = sums.emplace_back(LinearSum{none, false, *problem.most_sum});
    sum.by.sum = 1, sum.by.scale = 0;
  }
  return sums;
}

std::size_t SumTables::size(const Problem& problem, std::size_t sums) {
  const std::size_t k = problem.components;
  return sums * sizeof(Sum) * (problem.nodes.size() * k + problem.edges.size() * k * (k + 2));
}

SumTables::SumTables(const Problem& problem, const std::vector<LinearSum>& sums)
    : problem_(problem),
      neighbours_(problem),
      k_(problem.components),
      count_(sums.size()),
      least_(count_, 0),
      nodes_(problem.nodes.size() * k_ * count_),
      from_(problem.edges.size() * k_ * count_),
      to_(from_.size()),
      both_(from_.size() * k_) {
  for (std::size_t s = 0; s < count_; ++s) add(sums[s].by, s);
}

void SumTables::add(const Multipliers& by, std::size_t sum) {
  const Priced priced(problem_, by);
  least_[sum] = -priced.limits();
  for (std::uint32_t e = 0; e < problem_.edges.size(); ++e) add_edge(by, sum, e, priced);
  std::vector<Sum> here(k_);
  for (std::uint32_t i = 0; i < problem_.nodes.size(); ++i) {
    Sum least = kNowhere;
    for (std::uint32_t l = 0; l < k_; ++l) {
      here[l] = priced.node(i, l);
      for (const std::uint32_t e : neighbours_.of(i)) here[l] += (problem_.edges[e].from == i ? by.from : by.to)[e][l];
      if (problem_.nodes[i][l] != kForbidden) least = std::min(least, here[l]);
    }
    for (std::uint32_t l = 0; l < k_; ++l) nodes_[(i * k_ + l) * count_ + sum] = here[l] - least;
    least_[sum] += least;
  }
}

void SumTables::add_edge(const Multipliers& by, std::size_t sum, std::uint32_t e, const Priced& priced) {
  const Edge& edge = problem_.edges[e];
  std::vector<Sum> from(k_, kNowhere), to(k_, kNowhere);
  for (std::uint32_t a = 0; a < k_; ++a)
    for (std::uint32_t b = 0; b < k_; ++b) {
      const Sum here = priced.edge(e, a, b) - by.from[e][a] - by.to[e][b];
      both_[((e * k_ + a) * k_ + b) * count_ + sum] = here;
      if (problem_.nodes[edge.from][a] == kForbidden || problem_.nodes[edge.to][b] == kForbidden) continue;
      from[a] = std::min(from[a], here), to[b] = std::min(to[b], here);
    }
  const Sum least = *std::ranges::min_element(from);
  least_[sum] += least;
  for (std::uint32_t a = 0; a < k_; ++a) {
    from_[(e * k_ + a) * count_ + sum] = from[a] - least;
    to_[(e * k_ + a) * count_ + sum] = to[a] - least;
    for (std::uint32_t b = 0; b < k_; ++b) both_[((e * k_ + a) * k_ + b) * count_ + sum] -= least;
  }
}

void SumTables::put(std::uint32_t i, std::uint32_t l, const std::vector<std::uint32_t>& at,
                    const std::vector<Sum>& before, std::vector<Sum>& after) const {
  const Sum* const mine = node(i, l);
  for (std::size_t s = 0; s < count_; ++s) after[s] = before[s] + mine[s];
  for (const std::uint32_t e : neighbours_.of(i)) {
    const bool from = problem_.edges[e].from == i;
    const std::uint32_t there = at[across(problem_.edges[e], i)];
    if (there == kUnplaced) {
      const Sum* const one = end(e, from, l);
      for (std::size_t s = 0; s < count_; ++s) after[s] += one[s];
    } else {
      const Sum* const both = from ? edge(e, l, there) : edge(e, there, l);
      const Sum* const one = end(e, !from, there);  // counted when that end was placed
      for (std::size_t s = 0; s < count_; ++s) after[s] += both[s] - one[s];
    }
  }
}

}  // namespace woa::assign
