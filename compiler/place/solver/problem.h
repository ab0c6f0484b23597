// Placement as an optimization problem: which component (controller) runs each node (stage).
//
//   min  sum_i c(i, l_i) + sum_(i,j) q(i, l_i; j, l_j)        Objective::kSum
//   min  the largest row                                      Objective::kLargestRow
//   s.t. every row with a limit is at most that, and the sum above at most `most_sum`; nodes run where their cost says
//        that they may; the components that are used cost no more than may be spent on them
//
// The first is the serial time of one instance with its communication, the objective of Spacey et al. ("Write-only
// architecture", JPDC 72(12), 2012); rows are the load of a component or a link, whose largest bounds the throughput of
// many instances, and what a component has of a resource. With three components or more the first is multiway cut, with
// limits it contains the knapsack problem: both are NP-hard.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/status.h"

namespace woa::assign {

// Picoseconds, or the units of a resource. All arithmetic is exact.
using Cost = std::int64_t;
__extension__ using Sum = __int128;
inline constexpr Cost kMostCost = Cost{1} << 50;  // of one entry: 18 minutes
inline constexpr Cost kForbidden = std::numeric_limits<Cost>::max();

// All that goes between two nodes, either way: two edges between the same would be bounded worse than one.
struct Edge {
  std::uint32_t from = 0, to = 0;  // nodes, not the same
  std::vector<Cost> cost;          // by component of `from` x components + component of `to`
};

// What is summed over nodes and edges by where they are: the load of a component or of a link, which several pairs of
// components may use, or what a component has of a resource.
struct Row {
  std::string name;
  std::vector<Cost> nodes;                  // by node x components + component, at least 0; empty: none counts
  std::vector<std::uint8_t> pairs = {};     // by component written from x components + component written to: how often
                                            // it counts
  std::vector<Cost> edges = {}, back = {};  // by edge, at least 0: of what goes from Edge::from to Edge::to, and the
                                            // other way; empty: none counts
  std::optional<Cost> limit =
      std::nullopt;  // none: the row is in the objective of kLargestRow, and otherwise means nothing
  // By node, 1 to the number of nodes, or 0; empty: all 0. Of nodes with the same number, which share what they need,
  // one alone counts; those that count weigh the same.
  std::vector<std::uint32_t> shared = {};
};

// What it takes to use components at all, whatever is on them: their price, say, or the power that they draw.
struct Fee {
  std::string name;
  std::vector<Cost> of;  // by component, at least 0
  Cost most = 0;         // of all components that some node is on
  // For messages: what so many are, "W" of 1000 mW; empty: they have no name.
  std::string unit = {};
  Cost per_unit = 1;  // a power of ten
};
inline constexpr std::uint32_t kMostWithFees = 64;  // components of a problem that has fees

enum class Objective : std::uint8_t { kSum, kLargestRow };

struct Problem {
  std::uint32_t components = 0;
  Objective objective = Objective::kSum;
  std::vector<std::vector<Cost>> nodes;  // by node, then component; kForbidden: not there
  std::vector<Edge> edges;
  std::vector<Row> rows;
  std::optional<Cost> most_sum;  // kLargestRow alone
  std::string sum_name = "the sum";
  std::vector<Fee> fees = {};  // evaluate(), verify() and solve() know them; other searches take problems without
};

// Component by node.
using Placement = std::vector<std::uint32_t>;

// Of a node, and of an edge, to a row.
inline Cost weight(const Problem& problem, const Row& row, std::size_t node, std::uint32_t at) noexcept {
  return row.nodes.empty() ? 0 : row.nodes[node * problem.components + at];
}
inline Cost weight(const Problem& problem, const Row& row, std::size_t edge, std::uint32_t at_from,
                   std::uint32_t at_to) noexcept {
  if (row.edges.empty()) return 0;
  const std::size_t k = problem.components;
  return row.pairs[at_from * k + at_to] * row.edges[edge] + row.pairs[at_to * k + at_from] * row.back[edge];
}

// Of nodes to a row, so that they may be summed: what is shared is divided among all that it may count of, in the
// places that are left to them. The sum is at most sum_of(), and that where each node has one place.
std::vector<Cost> divided_weights(const Problem& problem, const Row& row);

// kInvalid: sizes that do not fit, entries outside 0 to kMostCost (weights of edges as often as they count), a node
// that may be nowhere, two edges between the same nodes, kLargestRow where all rows have limits, a limit of the sum
// where that is the objective, fees with more than kMostWithFees components. The others below take only what passes.
Status check(const Problem& problem);

Sum sum_of(const Row& row, const Problem& problem, const Placement& placement);

// Is the least sum asked for, and nothing limited but fees?
bool sum_alone(const Problem& problem);

struct Value {
  Sum objective = 0;
  bool feasible = false;
  Sum sum = 0;         // of costs, whatever the objective
  std::string broken;  // the first row or fee above its limit, or node where it may not be; empty: feasible
};
Value evaluate(const Problem& problem, const Placement& placement);

// Of all costs; at least 1.
Cost largest_cost(const Problem& problem);

}  // namespace woa::assign
