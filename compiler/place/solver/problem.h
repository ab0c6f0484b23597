// Placement as an optimization problem: which component (controller) runs each node (stage).
//
//   min  sum_i c(i, l_i) + sum_(i,j) q(i, l_i; j, l_j)        Objective::kSum
//   min  the largest row                                      Objective::kLargestRow
//   s.t. rows with limits stay within them, and the sum above is at most `most_sum`; no node is on a component that is
//        kForbidden for it; the fees of the components in use stay within their limits
//
// kSum is the serial time of one instance with its communication, the objective of Spacey et al. ("Write-only
// architecture", JPDC 72(12), 2012). Rows are the load of a component or a link, whose largest bounds the throughput of
// many instances, and the use of a component's resource. With three components or more kSum is multiway cut, with
// limits it contains the knapsack problem: both are NP-hard.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compiler/place/solver/cost.h"
#include "runtime/base/status.h"

namespace woa::assign {

inline constexpr Cost kForbidden = std::numeric_limits<Cost>::max();

// All traffic between two nodes, either way. Two edges between the same nodes would give a weaker bound.
struct Edge {
  std::uint32_t from = 0, to = 0;  // nodes, not the same
  std::vector<Cost> cost;          // by component of `from` x components + component of `to`
};

// Traffic that counts alike in a row: a weight of each edge, times a number of each pair of components.
struct RowTerm {
  std::vector<std::uint8_t>
      pairs;                      // by component written from x components + component written to: how often it counts
  std::vector<Cost> edges, back;  // by edge, at least 0: of traffic from Edge::from to Edge::to, and the other way
};

// A sum over nodes and edges by their components: the load of a component or of a link, which several pairs of
// components may use, or the use of a component's resource.
struct Row {
  std::string name;
  std::vector<Cost> nodes;                   // by node x components + component, at least 0; empty: none counts
  std::vector<RowTerm> terms = {};           // what edges add; empty: nothing
  std::optional<Cost> limit = std::nullopt;  // none: in the objective of kLargestRow, ignored by kSum
  // By node: its group, from 1 to the number of nodes, or 0 for none; empty: all 0. Nodes of a group share what they
  // need: only one of them counts, and all weights of a group that are not 0 are equal.
  std::vector<std::uint32_t> shared = {};
};

// A cost of using a component at all, whatever runs on it: its price, for example, or its power.
struct Fee {
  std::string name;
  std::vector<Cost> of;  // by component, at least 0
  Cost most = 0;         // limit of the sum over the components in use
  // For messages: the unit that `per_unit` make, "W" for 1000 mW; empty: none.
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
  std::vector<Fee> fees = {};  // evaluate(), verify() and solve() know them; other searches need a problem without fees
};

// Component by node.
using Placement = std::vector<std::uint32_t>;

// The weight that a node, or an edge, adds to a row.
inline Cost weight(const Problem& problem, const Row& row, std::size_t node, std::uint32_t at) noexcept {
  return row.nodes.empty() ? 0 : row.nodes[node * problem.components + at];
}
inline Cost weight(const Problem& problem, const Row& row, std::size_t edge, std::uint32_t at_from,
                   std::uint32_t at_to) noexcept {
  const std::size_t k = problem.components;
  Cost sum = 0;
  for (const RowTerm& term : row.terms)
    sum += term.pairs[at_from * k + at_to] * term.edges[edge] + term.pairs[at_to * k + at_from] * term.back[edge];
  return sum;
}

// Weights of nodes in a row that may simply be summed: a group's weight is divided among the nodes that may count it in
// the places left to them. The sum is at most sum_of(), and equal to it if each node has one place.
std::vector<Cost> divided_weights(const Problem& problem, const Row& row);

// kInvalid: sizes that do not match, entries outside 0 to kMostCost (weights of edges times how often they count), a
// node without a place, two edges between the same nodes, kLargestRow if all rows have limits, a limit on the sum that
// is the objective, fees with more than kMostWithFees components. The functions below take only problems that pass.
Status check(const Problem& problem);

Sum sum_of(const Row& row, const Problem& problem, const Placement& placement);

// True if the objective is the sum and nothing is limited but fees.
bool sum_alone(const Problem& problem);

struct Value {
  Sum objective = 0;
  bool feasible = false;
  Sum sum = 0;         // of costs, whatever the objective
  std::string broken;  // first row or fee above its limit, sum_name, or node that may not be there; empty: none
};
Value evaluate(const Problem& problem, const Placement& placement);

// The largest cost of all nodes and edges; at least 1.
Cost largest_cost(const Problem& problem);

}  // namespace woa::assign
