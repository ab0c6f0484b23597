#include "compiler/place/solver/bound.h"

#include <algorithm>

#include "compiler/place/solver/neighbours.h"

namespace woa::assign {
namespace {

constexpr Sum kMostEndPrice = Sum{1} << 90;  // sums of 2^32 products of it and a component's share still fit
constexpr Cost kMostBoundScale = Cost{1} << 30;
// Most terms that rows may add: as many of kMostRowPrice x kMostCost stay below kNowhere.
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

// The least cost of an edge over the components where its ends may be.
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

// Rounds up.
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
    for (const RowTerm& term : row.terms) add(term, price);
  }
}

void Priced::add(const RowTerm& term, Sum price) {
  const std::uint32_t k = components_;
  for (std::uint32_t a = 0; a < k; ++a)
    for (std::uint32_t b = 0; b < k; ++b) {
      const auto times = static_cast<Cost>(term.pairs[std::size_t{a} * k + b]);
      for (std::size_t e = 0; times != 0 && e < term.edges.size(); ++e) {
        edges_[(e * k + a) * k + b] += price * times * term.edges[e];
        edges_[(e * k + b) * k + a] += price * times * term.back[e];
      }
    }
}

std::size_t steps_to_price(const Problem& problem) {
  const std::size_t pairs = std::size_t{problem.components} * problem.components;
  std::size_t steps = problem.nodes.size() * problem.components + problem.edges.size() * pairs + 1;
  for (const Row& row : problem.rows) {
    const std::size_t looks = row.shared.empty() ? 1 : 5;  // divided_weights() first passes over all four times
    steps += looks * row.nodes.size();
    for (const RowTerm& term : row.terms) {
      const auto counted = pairs - static_cast<std::size_t>(std::ranges::count(term.pairs, 0));
      steps += pairs + term.edges.size() * counted;
    }
  }
  return steps;
}

}  // namespace woa::assign
