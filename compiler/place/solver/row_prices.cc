#include "compiler/place/solver/row_prices.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/neighbours.h"

namespace woa::assign {
namespace {

// Improves multipliers without a solver: sequential tree-reweighted message passing (Kolmogorov, "Convergent
// tree-reweighted message passing for energy minimization", IEEE PAMI 28(10), 2006). Messages are the multipliers of
// the edges' ends; each pass visits the nodes in their order and back, and never lowers the bound, rounding aside. It
// need not end at the best multipliers, except on a forest.
class Ascent {
 public:
  Ascent(const Problem& problem, Multipliers& multipliers)
      : problem_(problem),
        multipliers_(multipliers),
        priced_(problem, multipliers),
        neighbours_(problem),
        here_(problem.components) {}

  void pass() {
    const auto count = static_cast<std::uint32_t>(problem_.nodes.size());
    for (std::uint32_t i = 0; i < count; ++i) visit(i, true, false);
    for (std::uint32_t i = count; i > 0; --i) visit(i - 1, false, false);
  }
  // Visits each node a last time, and moves its shares into its edges with its messages.
  void close() {
    for (std::uint32_t i = 0; i < problem_.nodes.size(); ++i) visit(i, true, true);
  }

 private:
  [[nodiscard]] std::vector<Sum>& price(std::uint32_t edge, std::uint32_t node) const {
    return problem_.edges[edge].from == node ? multipliers_.from[edge] : multipliers_.to[edge];
  }
  // Sends the node's costs, divided among the trees that go on from it, to its later neighbours.
  void visit(std::uint32_t node, bool forward, bool last) {
    std::int64_t later = 0, earlier = 0;
    for (const std::uint32_t e : neighbours_.of(node))
      ++((across(problem_.edges[e], node) > node) == forward ? later : earlier);
    if (later == 0) return;
    for (std::uint32_t l = 0; l < problem_.components; ++l) {
      here_[l] = priced_.node(node, l);
      for (const std::uint32_t e : neighbours_.of(node)) here_[l] += price(e, node)[l];
    }
    for (Sum& share : here_) share /= std::max(later, earlier);
    for (const std::uint32_t e : neighbours_.of(node)) {
      if ((across(problem_.edges[e], node) > node) != forward) continue;
      send(node, e);
      for (std::uint32_t l = 0; last && l < problem_.components; ++l)
        if (problem_.nodes[node][l] != kForbidden) price(e, node)[l] -= here_[l];
    }
  }
  void send(std::uint32_t node, std::uint32_t e) {
    const Edge& edge = problem_.edges[e];
    const std::uint32_t other = across(edge, node);
    const std::vector<Sum>& mine = price(e, node);
    std::vector<Sum>& theirs = price(e, other);
    Sum least = kNowhere;
    for (std::uint32_t there = 0; there < problem_.components; ++there) {
      if (problem_.nodes[other][there] == kForbidden) continue;
      Sum best = kNowhere;
      for (std::uint32_t l = 0; l < problem_.components; ++l) {
        if (problem_.nodes[node][l] == kForbidden) continue;
        const Sum between = edge.from == node ? priced_.edge(e, l, there) : priced_.edge(e, there, l);
        best = std::min(best, here_[l] - mine[l] + between);
      }
      theirs[there] = best;
      least = std::min(least, best);
    }
    // Only differences count; without subtraction the least would grow with each pass.
    for (std::uint32_t there = 0; there < problem_.components; ++there)
      if (problem_.nodes[other][there] != kForbidden) theirs[there] -= least;
  }

  const Problem& problem_;
  Multipliers& multipliers_;
  Priced priced_;
  Neighbours neighbours_;
  std::vector<Sum> here_;
};

// `messages`: multipliers that fit the problem; updated for the next call, except the scale and those of rows. The
// bound is that of the returned multipliers.
Multipliers ascend(const Problem& problem, Multipliers& messages, std::uint32_t passes) {
  Ascent ascent(problem, messages);
  for (std::uint32_t k = 0; k < passes; ++k) ascent.pass();
  Multipliers multipliers = messages;
  Ascent(problem, multipliers).close();
  return multipliers;
}

// Rounds messages to a placement: node after node, each where it is cheapest given those before (Kolmogorov, 2006).
Placement round(const Problem& problem, const Neighbours& neighbours, const Priced& priced,
                const Multipliers& messages) {
  Placement placement(problem.nodes.size());
  for (std::uint32_t i = 0; i < placement.size(); ++i) {
    Sum least = kNowhere;
    for (std::uint32_t l = 0; l < problem.components; ++l) {
      if (problem.nodes[i][l] == kForbidden) continue;
      Sum sum = priced.node(i, l);
      for (const std::uint32_t e : neighbours.of(i)) {
        const Edge& edge = problem.edges[e];
        const std::uint32_t other = across(edge, i);
        if (other > i)
          sum += (edge.from == i ? messages.from : messages.to)[e][l];
        else
          sum += edge.from == i ? priced.edge(e, l, placement[other]) : priced.edge(e, placement[other], l);
      }
      if (sum < least) least = sum, placement[i] = l;
    }
  }
  return placement;
}

constexpr std::uint32_t kPasses = 4;
constexpr Cost kMostRowScale = 1 << 20, kMostWeighed = Cost{1} << 56;  // so that messages fit 64 bits
constexpr auto kMostRowPriceTried = static_cast<double>(kMostRowPrice);

// One multiplier for each row, that of the limit on the sum last, as the steps see them.
struct Rows {
  std::vector<double> prices, loads;
  std::vector<bool> limited;
  std::vector<double> limits;
};

class Prices {
 public:
  Prices(const Problem& problem, Multipliers& messages)
      : problem_(problem), messages_(messages), scale_(static_cast<double>(scale_of(problem))) {
    for (const Row& row : problem.rows) add(row.limit);
    if (problem.most_sum) add(problem.most_sum);
    for (std::size_t r = 0; r < rows_.prices.size(); ++r) rows_.prices[r] = static_cast<double>(price(r));
    if (problem.objective == Objective::kLargestRow) spread();
  }

  void load(const Placement& placement) {
    std::size_t at = 0;
    for (const Row& row : problem_.rows) rows_.loads[at++] = static_cast<double>(sum_of(row, problem_, placement));
    if (problem_.most_sum) rows_.loads[at] = static_cast<double>(evaluate(problem_, placement).sum);
  }
  // `missing`: from the bound to the value, times the scale.
  void step(double missing, double length) {
    std::vector<double> slope(rows_.prices.size(), 0.0);
    const bool largest = problem_.objective == Objective::kLargestRow;
    double mean = 0, open = 0, squares = 0;
    for (std::size_t r = 0; r < slope.size(); ++r)
      if (!rows_.limited[r]) mean += rows_.loads[r], open += 1;
    for (std::size_t r = 0; r < slope.size(); ++r) {
      if (rows_.limited[r])
        slope[r] = rows_.loads[r] - rows_.limits[r];
      else if (largest)
        slope[r] = rows_.loads[r] - mean / open;
      if (slope[r] < 0 && rows_.prices[r] <= 0) slope[r] = 0;
      squares += slope[r] * slope[r];
    }
    if (squares <= 0) return;
    for (std::size_t r = 0; r < slope.size(); ++r)
      rows_.prices[r] = std::max(0.0, rows_.prices[r] + length * missing * slope[r] / squares);
    if (largest) normalize();
    write();
  }

 private:
  void add(const std::optional<Cost>& limit) {
    rows_.limited.push_back(limit.has_value());
    rows_.limits.push_back(static_cast<double>(limit.value_or(0)));
    rows_.prices.push_back(0), rows_.loads.push_back(0);
  }
  [[nodiscard]] Cost& price(std::size_t r) { return r < problem_.rows.size() ? messages_.rows[r] : messages_.sum; }
  // Gives all rows of the objective equal multipliers if none has one yet.
  void spread() {
    double sum = 0;
    for (std::size_t r = 0; r < rows_.prices.size(); ++r) sum += rows_.limited[r] ? 0 : rows_.prices[r];
    for (std::size_t r = 0; sum <= 0 && r < rows_.prices.size(); ++r)
      if (!rows_.limited[r]) rows_.prices[r] = 1;
    normalize();
    write();
  }
  void normalize() {
    double sum = 0;
    for (std::size_t r = 0; r < rows_.prices.size(); ++r) sum += rows_.limited[r] ? 0 : rows_.prices[r];
    for (std::size_t r = 0; sum > 0 && r < rows_.prices.size(); ++r)
      if (!rows_.limited[r]) rows_.prices[r] *= scale_ / sum;
  }
  void write() {
    Cost sum = 0;
    for (std::size_t r = 0; r < rows_.prices.size(); ++r) {
      const bool counts = rows_.limited[r] || problem_.objective == Objective::kLargestRow;
      price(r) = counts ? static_cast<Cost>(std::llround(std::min(kMostRowPriceTried, rows_.prices[r]))) : 0;
      if (!rows_.limited[r]) sum += price(r);
    }
    if (problem_.objective == Objective::kLargestRow) messages_.scale = sum;
  }

  static Cost largest(const std::vector<Cost>& weights) {
    return weights.empty() ? 0 : *std::ranges::max_element(weights);
  }
  // At least the number of rows of the objective, so that each gets 1 or more if all are equal.
  static Cost scale_of(const Problem& problem) {
    Cost most = 1, open = 0;
    for (const Row& row : problem.rows) {
      if (row.limit) continue;
      ++open;
      most = std::max(most, largest(row.nodes));
      for (const RowTerm& term : row.terms)
        most =
            std::max(most, *std::ranges::max_element(term.pairs) * std::max(largest(term.edges), largest(term.back)));
    }
    return std::clamp<Cost>(kMostWeighed / most, std::clamp<Cost>(open, 1, kMostRowScale), kMostRowScale);
  }

  const Problem& problem_;
  Multipliers& messages_;
  double scale_;  // of kLargestRow
  Rows rows_;
};

}  // namespace

Multipliers first_messages(const Problem& problem) {
  constexpr Cost kMostScale = 1 << 16, kMostProduct = Cost{1} << 56;
  Multipliers messages = no_multipliers(problem);
  messages.scale = std::clamp<Cost>(kMostProduct / largest_cost(problem), 1, kMostScale);
  return messages;
}

RowSearch price_rows(const Problem& problem, Multipliers& messages, Sum value, const RowSteps& steps) {
  const Neighbours neighbours(problem);
  Prices prices(problem, messages);
  RowSearch found;
  Sum best_value = value;
  double length = 1.0;
  std::uint32_t vain = 0;
  for (std::uint32_t k = 0; k < std::max(steps.most, 1U); ++k) {
    if (k > 0 && std::chrono::steady_clock::now() > steps.end) break;
    Multipliers closed = ascend(problem, messages, kPasses);
    const auto bound = lower_bound(problem, closed);
    if (!bound.ok()) break;
    if (k == 0 || *bound > found.bound)
      found.bound = *bound, found.best = std::move(closed), vain = 0;
    else if (++vain == 10)
      length /= 2, vain = 0;
    Placement placement = round(problem, neighbours, Priced(problem, messages), messages);
    prices.load(placement);
    const Value rounded = evaluate(problem, placement);
    if (rounded.feasible && rounded.objective <= best_value)
      best_value = rounded.objective, found.placement = placement;
    if (is_near(found.bound, best_value, steps.near_ppm)) break;
    prices.step(static_cast<double>(best_value - *bound) * static_cast<double>(messages.scale), length);
  }
  return found;
}

}  // namespace woa::assign
