// Random problems, small enough for every placement to be tried.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "compiler/place/solver/problem.h"

namespace woa::assign::test {

struct Kind {
  std::uint32_t most_nodes = 7, components = 0;  // 0: 1 to 3
  bool forest = false, rows = false, fees = false;
  bool largest_row = false;  // that is the objective, if there are rows; otherwise either is
  Cost unit = 0;             // of costs that no row counts; 0: any of some
};

inline std::vector<Cost> any_costs(std::size_t count, Cost most = 100) {
  std::vector<Cost> costs;
  for (std::size_t k = 0; k < count; ++k) costs.push_back(*rc::gen::inRange<Cost>(0, most + 1));
  return costs;
}

// Some nodes need the same, where they need anything.
inline void share(const Problem& problem, Row& row) {
  const auto count = static_cast<std::uint32_t>(problem.nodes.size());
  const std::vector<Cost> of_group = any_costs(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto group = *rc::gen::inRange<std::uint32_t>(0, std::min(count, 2U) + 1);
    row.shared.push_back(group);
    for (std::uint32_t l = 0; l < problem.components && group != 0; ++l)
      row.nodes[i * problem.components + l] = *rc::gen::arbitrary<bool>() ? of_group[group] : 0;
  }
}

inline Problem any_problem(const Kind& kind) {
  Problem problem;
  problem.components = kind.components != 0 ? kind.components : *rc::gen::inRange<std::uint32_t>(1, 4);
  const std::uint32_t count = *rc::gen::inRange<std::uint32_t>(1, kind.most_nodes + 1), k = problem.components;
  for (std::uint32_t i = 0; i < count; ++i) {
    problem.nodes.push_back(any_costs(k));
    const auto kept = *rc::gen::inRange<std::uint32_t>(0, k);
    for (std::uint32_t l = 0; l < k; ++l)
      if (l != kept && *rc::gen::inRange(0, 5) == 0) problem.nodes.back()[l] = kForbidden;
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  const auto join = [&](std::uint32_t from, std::uint32_t to) {
    if (from != to && joined.insert(std::minmax(from, to)).second)
      problem.edges.push_back({from, to, any_costs(std::size_t{k} * k)});
  };
  for (std::uint32_t i = 1; i < count; ++i)
    if (*rc::gen::inRange(0, 8) != 0) join(i, *rc::gen::inRange<std::uint32_t>(0, i));
  for (std::uint32_t more = kind.forest ? 0 : *rc::gen::inRange<std::uint32_t>(0, 2 * count); more > 0; --more)
    join(*rc::gen::inRange<std::uint32_t>(0, count), *rc::gen::inRange<std::uint32_t>(0, count));
  // Far larger than what rows count, or not.
  const auto unit = kind.unit != 0 ? kind.unit : *rc::gen::element<Cost>(1, 1'000, 10'000'000);
  const auto enlarge = [&](std::vector<Cost>& costs) {
    for (Cost& cost : costs) cost *= cost == kForbidden ? 1 : unit;
  };
  for (auto& costs : problem.nodes) enlarge(costs);
  for (Edge& edge : problem.edges) enlarge(edge.cost);
  for (int fees = kind.fees ? *rc::gen::inRange(1, 3) : 0; fees > 0; --fees)
    problem.fees.push_back({"fee", any_costs(k, 9), *rc::gen::inRange<Cost>(0, 8 * k)});
  if (!kind.rows) return problem;
  problem.objective =
      kind.largest_row ? Objective::kLargestRow : *rc::gen::element(Objective::kSum, Objective::kLargestRow);
  const auto limit = [&]() -> std::optional<Cost> {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    return *rc::gen::inRange<Cost>(50, 50 * static_cast<Cost>(count) + 1);
  };
  for (auto rows = *rc::gen::inRange(1, 6); rows > 0; --rows) {
    Row row{"row", {}};
    if (*rc::gen::arbitrary<bool>()) row.nodes = any_costs(std::size_t{count} * k);
    if (row.nodes.empty() || *rc::gen::arbitrary<bool>()) {
      for (int terms = *rc::gen::inRange(1, 4); terms > 0; --terms) {
        RowTerm& term = row.terms.emplace_back();
        for (std::uint32_t pair = 0; pair < k * k; ++pair)
          term.pairs.push_back(*rc::gen::element<std::uint8_t>(0, 0, 1, 2));
        term.edges = any_costs(problem.edges.size()), term.back = any_costs(problem.edges.size());
      }
    }
    if (!row.nodes.empty() && *rc::gen::inRange(0, 3) == 0) share(problem, row);
    row.limit = limit();
    problem.rows.push_back(std::move(row));
  }
  problem.rows.front().limit.reset();
  if (problem.objective == Objective::kLargestRow && *rc::gen::inRange(0, 3) == 0)
    problem.most_sum = unit * *rc::gen::inRange<Cost>(50, 100 * static_cast<Cost>(count) + 1);
  for (Row& row : problem.rows) {
    if (row.limit || problem.objective != Objective::kLargestRow) continue;
    enlarge(row.nodes);
    for (RowTerm& term : row.terms) enlarge(term.edges), enlarge(term.back);
  }
  return problem;
}

// The last component is like the one before, for nodes, edges and rows.
inline void make_symmetric(Problem& problem) {
  const std::uint32_t k = problem.components, b = k - 1, a = k - 2;
  if (k < 2) return;
  const auto other = [&](std::uint32_t l) {
    if (l == a) return b;
    return l == b ? a : l;
  };
  for (Fee& fee : problem.fees) fee.of[b] = fee.of[a];
  for (auto& costs : problem.nodes) costs[b] = costs[a] == kForbidden ? costs[a] = 1 : costs[a];
  for (Edge& edge : problem.edges)
    for (std::uint32_t x = 0; x < k; ++x)
      for (std::uint32_t y = 0; y < k; ++y)
        if (x == b || (y == b && x != a)) edge.cost[x * k + y] = edge.cost[other(x) * k + other(y)];
  const std::size_t rows = problem.rows.size();
  for (std::size_t r = 0; r < rows; ++r) {
    Row row = problem.rows[r];
    for (std::size_t at = 0; at < row.nodes.size(); ++at)
      row.nodes[at] = problem.rows[r].nodes[at / k * k + other(static_cast<std::uint32_t>(at % k))];
    for (std::size_t t = 0; t < row.terms.size(); ++t)
      for (std::uint32_t x = 0; x < k; ++x)
        for (std::uint32_t y = 0; y < k; ++y)
          row.terms[t].pairs[x * k + y] = problem.rows[r].terms[t].pairs[other(x) * k + other(y)];
    problem.rows.push_back(std::move(row));
  }
}

}  // namespace woa::assign::test
