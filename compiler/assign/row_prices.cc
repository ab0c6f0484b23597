#include "compiler/assign/row_prices.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/assign/rounding.h"

namespace woa::assign {
namespace {

constexpr std::uint32_t kPasses = 4;
constexpr Cost kScale = 1 << 20;  // of kLargestRow
constexpr Cost kMostPrice = Cost{1} << 30;

// One price for each row, node rows first, as the steps see them.
struct Rows {
  std::vector<double> prices, loads;
  std::vector<bool> limited;
  std::vector<double> limits;
};

class Prices {
 public:
  Prices(const Problem& problem, Multipliers& messages) : problem_(problem), messages_(messages) {
    for (const NodeRow& row : problem.node_rows) add(row);
    for (const EdgeRow& row : problem.edge_rows) add(row);
    for (std::size_t r = 0; r < rows_.prices.size(); ++r) rows_.prices[r] = static_cast<double>(price(r));
    if (problem.objective == Objective::kLargestRow) spread();
  }

  void load(const Placement& placement) {
    std::ranges::fill(rows_.loads, 0.0);
    for (std::size_t r = 0; r < problem_.node_rows.size(); ++r)
      for (std::size_t i = 0; i < placement.size(); ++i)
        if (placement[i] == problem_.node_rows[r].component)
          rows_.loads[r] += static_cast<double>(problem_.node_rows[r].weights[i]);
    for (std::size_t r = 0; r < problem_.edge_rows.size(); ++r)
      for (std::size_t e = 0; e < problem_.edges.size(); ++e)
        rows_.loads[problem_.node_rows.size() + r] += static_cast<double>(
            weight(problem_.edge_rows[r], e, placement[problem_.edges[e].from], placement[problem_.edges[e].to]));
  }
  // `missing`: how far the bound is from the value, counted by the scale.
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
  template <class Row>
  void add(const Row& row) {
    rows_.limited.push_back(row.limit.has_value());
    rows_.limits.push_back(row.limit ? static_cast<double>(*row.limit) : 0);
    rows_.prices.push_back(0), rows_.loads.push_back(0);
  }
  [[nodiscard]] Cost& price(std::size_t r) {
    const std::size_t nodes = problem_.node_rows.size();
    return r < nodes ? messages_.node_rows[r] : messages_.edge_rows[r - nodes];
  }
  // All rows of the objective alike, if none has a price yet.
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
      if (!rows_.limited[r]) rows_.prices[r] *= static_cast<double>(kScale) / sum;
  }
  void write() {
    Cost sum = 0;
    for (std::size_t r = 0; r < rows_.prices.size(); ++r) {
      const bool counts = rows_.limited[r] || problem_.objective == Objective::kLargestRow;
      price(r) = counts ? std::min(kMostPrice, static_cast<Cost>(std::llround(rows_.prices[r]))) : 0;
      if (!rows_.limited[r]) sum += price(r);
    }
    if (problem_.objective == Objective::kLargestRow) messages_.scale = sum;
  }

  const Problem& problem_;
  Multipliers& messages_;
  Rows rows_;
};

}  // namespace

RowSearch price_rows(const Problem& problem, Multipliers& messages, Sum value, std::uint32_t steps) {
  const Neighbours neighbours(problem);
  Prices prices(problem, messages);
  RowSearch found;
  Sum best_value = value;
  double length = 1.0;
  std::uint32_t vain = 0;
  for (std::uint32_t k = 0; k < steps; ++k) {
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
    if (found.bound >= best_value) break;
    prices.step(static_cast<double>(best_value - *bound) * static_cast<double>(messages.scale), length);
  }
  return found;
}

}  // namespace woa::assign
