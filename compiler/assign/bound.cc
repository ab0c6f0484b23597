#include "compiler/assign/bound.h"

#include <algorithm>

#include "compiler/assign/neighbours.h"
#include "compiler/assign/priced.h"

namespace woa::assign {
namespace {

constexpr Sum kMostEndPrice = Sum{1} << 90;  // sums of 2^32 products of it and a component's share still fit
constexpr Cost kMostBoundScale = Cost{1} << 30;
// Of the terms that rows add: so many of kMostRowPrice x kMostCost stay below kNowhere.
constexpr std::size_t kMostTerms = std::size_t{1} << 23;

Status bad_multipliers(const std::string& what) { return {Code::kInvalid, "multipliers: " + what}; }

bool fits(const std::vector<std::vector<Sum>>& prices, const Problem& problem) {
  return prices.size() == problem.edges.size() && std::ranges::all_of(prices, [&](const std::vector<Sum>& edge) {
           return edge.size() == problem.components && std::ranges::all_of(edge, [](Sum price) {
                    return price >= -kMostEndPrice && price <= kMostEndPrice;
                  });
         });
}

bool fit(const std::vector<Cost>& prices, const Problem& problem) {
  if (prices.size() != problem.rows.size()) return false;
  for (std::size_t r = 0; r < prices.size(); ++r) {
    if (prices[r] < 0 || prices[r] > kMostRowPrice) return false;
    if (problem.objective == Objective::kSum && !problem.rows[r].limit && prices[r] != 0) return false;
  }
  return true;
}

Sum price_of_objective(const std::vector<Cost>& prices, const Problem& problem) {
  Sum sum = 0;
  for (std::size_t r = 0; r < prices.size(); ++r)
    if (!problem.rows[r].limit) sum += prices[r];
  return sum;
}

Status check(const Problem& problem, const Multipliers& by) {
  if (!fits(by.from, problem) || !fits(by.to, problem))
    return bad_multipliers("not one for each end and component, or too large");
  if (!fit(by.rows, problem)) return bad_multipliers("not one for each row, negative, or too large");
  if ((problem.rows.size() + 1) * (problem.nodes.size() + problem.edges.size() + 1) > kMostTerms)
    return bad_multipliers("too many rows for so many nodes and edges");
  if (by.sum < 0 || by.sum > kMostRowPrice || (by.sum != 0 && !problem.most_sum))
    return bad_multipliers("a price of the sum that is out of range, or has no limit");
  if (by.scale < 1 || by.scale > kMostBoundScale) return bad_multipliers("a scale out of range");
  if (problem.objective == Objective::kLargestRow && price_of_objective(by.rows, problem) != by.scale)
    return bad_multipliers("the rows' prices are not the scale");
  return {};
}

// The least of an edge, of the components where its ends may be.
Sum least(const Problem& problem, const Priced& priced, const Multipliers& by, std::uint32_t e) {
  const Edge& edge = problem.edges[e];
  Sum best = kNowhere;
  for (std::uint32_t a = 0; a < problem.components; ++a) {
    if (problem.nodes[edge.from][a] == kForbidden) continue;
    for (std::uint32_t b = 0; b < problem.components; ++b)
      if (problem.nodes[edge.to][b] != kForbidden)
        best = std::min(best, priced.edge(e, a, b) - by.from[e][a] - by.to[e][b]);
  }
  return best;
}

// Rounded up.
Sum divided(Sum sum, Cost by) { return sum > 0 ? (sum + by - 1) / by : sum / by; }

}  // namespace

Multipliers no_multipliers(const Problem& problem) {
  Multipliers none;
  const std::vector<Sum> edge(problem.components, 0);
  none.from.assign(problem.edges.size(), edge);
  none.to.assign(problem.edges.size(), edge);
  none.rows.assign(problem.rows.size(), 0);
  return none;
}

Result<Sum> lower_bound(const Problem& problem, const Multipliers& multipliers) {
  WOA_RETURN_IF_ERROR(check(problem, multipliers));
  const Priced priced(problem, multipliers);
  const Neighbours neighbours(problem);
  Sum sum = -priced.limits();
  for (std::uint32_t e = 0; e < problem.edges.size(); ++e) sum += least(problem, priced, multipliers, e);
  for (std::uint32_t i = 0; i < problem.nodes.size(); ++i) {
    Sum best = kNowhere;
    for (std::uint32_t l = 0; l < problem.components; ++l) {
      if (problem.nodes[i][l] == kForbidden) continue;
      Sum here = priced.node(i, l);
      for (const std::uint32_t e : neighbours.of(i))
        here += (problem.edges[e].from == i ? multipliers.from : multipliers.to)[e][l];
      best = std::min(best, here);
    }
    sum += best;
  }
  return divided(sum, multipliers.scale);
}

}  // namespace woa::assign
