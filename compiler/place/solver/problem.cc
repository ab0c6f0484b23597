#include "compiler/place/solver/problem.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/base/quantities.h"

namespace woa {

std::string time_text(Sum ps) {
  constexpr double kPsPerUs = 1e6;
  constexpr int kDigits = 6;
  return us_text(static_cast<double>(ps) / kPsPerUs, kDigits);
}

std::string option_text(Sum ps) {
  static constexpr std::array<std::pair<std::uint64_t, std::string_view>, 3> kLarger{
      {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}}};
  const auto ns = static_cast<std::uint64_t>((ps + 999) / 1000);
  for (const auto& [size, unit] : kLarger)
    if (ns != 0 && ns % size == 0) return std::to_string(ns / size).append(unit);
  return std::to_string(ns) + "ns";
}

}  // namespace woa

namespace woa::assign {
namespace {

bool in_range(Cost cost) { return cost >= 0 && cost <= kMostCost; }

Status bad_problem(const std::string& what) { return {Code::kInvalid, "placement problem: " + what}; }

Status check_node(const Problem& problem, std::size_t i) {
  const auto& costs = problem.nodes[i];
  const std::string node = "node " + std::to_string(i);
  if (costs.size() != problem.components) return bad_problem(node + " has not a cost for each component");
  bool somewhere = false;
  for (const Cost cost : costs) {
    if (cost != kForbidden && !in_range(cost)) return bad_problem(node + " has a cost out of range");
    somewhere = somewhere || cost != kForbidden;
  }
  return somewhere ? Status() : bad_problem(node + " may run nowhere");
}

Status check_edge(const Problem& problem, std::size_t e) {
  const Edge& edge = problem.edges[e];
  const std::string name = "edge " + std::to_string(e);
  if (edge.from >= problem.nodes.size() || edge.to >= problem.nodes.size() || edge.from == edge.to)
    return bad_problem(name + " does not join two nodes");
  if (edge.cost.size() != std::size_t{problem.components} * problem.components)
    return bad_problem(name + " has not a cost for each pair of components");
  return std::ranges::all_of(edge.cost, in_range) ? Status() : bad_problem(name + " has a cost out of range");
}

Status check_shared(const Problem& problem, const Row& row) {
  if (row.shared.empty()) return {};
  if (row.shared.size() != problem.nodes.size() || row.nodes.empty())
    return bad_problem("row " + row.name + " has another number of shares");
  std::vector<Cost> of_group(problem.nodes.size() + 1, 0);
  for (std::size_t at = 0; at < row.nodes.size(); ++at) {
    const std::uint32_t group = row.shared[at / problem.components];
    if (group >= of_group.size()) return bad_problem("row " + row.name + " has a share that there is not");
    if (group == 0 || row.nodes[at] == 0) continue;
    if (of_group[group] != 0 && of_group[group] != row.nodes[at])
      return bad_problem("row " + row.name + " has nodes that share what they do not need alike");
    of_group[group] = row.nodes[at];
  }
  return {};
}

// True if no weight of an edge is negative, and all that the terms count of it stays within kMostCost either way.
bool has_terms_in_range(const Problem& problem, const Row& row) {
  std::vector<Sum> most(2 * problem.edges.size(), 0);
  for (const RowTerm& term : row.terms) {
    const Sum times = std::max<Sum>(1, *std::ranges::max_element(term.pairs));
    for (std::size_t e = 0; e < problem.edges.size(); ++e) {
      if (!in_range(term.edges[e]) || !in_range(term.back[e])) return false;
      most[2 * e] += times * term.edges[e], most[2 * e + 1] += times * term.back[e];
    }
  }
  return std::ranges::all_of(most, [](Sum all) { return all <= kMostCost; });
}

Status check_row(const Problem& problem, const Row& row) {
  const std::size_t k = problem.components;
  const auto has_all = [&](const RowTerm& term) {
    const std::size_t edges = problem.edges.size();
    return term.pairs.size() == k * k && term.edges.size() == edges && term.back.size() == edges;
  };
  if (!(row.nodes.empty() || row.nodes.size() == problem.nodes.size() * k) || !std::ranges::all_of(row.terms, has_all))
    return bad_problem("row " + row.name + " has another number of weights");
  if (row.limit && !in_range(*row.limit)) return bad_problem("row " + row.name + " has a limit out of range");
  if (!std::ranges::all_of(row.nodes, in_range) || !has_terms_in_range(problem, row))
    return bad_problem("row " + row.name + " has a weight out of range");
  return check_shared(problem, row);
}

Status check_fee(const Problem& problem, const Fee& fee) {
  if (problem.components > kMostWithFees)
    return bad_problem("fees of more components than " + std::to_string(kMostWithFees));
  if (fee.of.size() != problem.components) return bad_problem(fee.name + " is not known of each component");
  return in_range(fee.most) && std::ranges::all_of(fee.of, in_range) ? Status()
                                                                     : bad_problem(fee.name + " is out of range");
}

// The fee of all components in use.
Sum spent(const Fee& fee, const Placement& placement) {
  std::vector<bool> used(fee.of.size(), false);
  for (const std::uint32_t component : placement) used[component] = true;
  Sum sum = 0;
  for (std::size_t l = 0; l < used.size(); ++l) sum += used[l] ? fee.of[l] : 0;
  return sum;
}

}  // namespace

std::vector<Cost> divided_weights(const Problem& problem, const Row& row) {
  const std::size_t k = problem.components;
  std::vector<Cost> weights = row.nodes;
  const auto may_count = [&](std::size_t i) {
    for (std::size_t l = 0; l < k; ++l)
      if (row.nodes[i * k + l] != 0 && problem.nodes[i][l] != kForbidden) return true;
    return false;
  };
  std::vector<Cost> members(problem.nodes.size() + 1, 0), next = members;
  for (std::size_t i = 0; i < row.shared.size(); ++i) members[row.shared[i]] += may_count(i) ? 1 : 0;
  for (std::size_t i = 0; i < row.shared.size(); ++i) {
    const std::uint32_t group = row.shared[i];
    if (group == 0 || !may_count(i)) continue;
    const Cost number = next[group]++;  // rounded so that all together are the whole
    for (std::size_t l = 0; l < k; ++l)
      if (row.nodes[i * k + l] != 0) weights[i * k + l] = (row.nodes[i * k + l] + number) / members[group];
  }
  return weights;
}

Sum sum_of(const Row& row, const Problem& problem, const Placement& placement) {
  Sum sum = 0;
  std::vector<bool> counted(row.shared.empty() ? 0 : problem.nodes.size() + 1, false);
  for (std::size_t i = 0; !row.nodes.empty() && i < placement.size(); ++i) {
    const Cost here = weight(problem, row, i, placement[i]);
    const std::uint32_t group = row.shared.empty() ? 0 : row.shared[i];
    if (here == 0 || (group != 0 && counted[group])) continue;
    if (group != 0) counted[group] = true;
    sum += here;
  }
  for (std::size_t e = 0; !row.terms.empty() && e < problem.edges.size(); ++e)
    sum += weight(problem, row, e, placement[problem.edges[e].from], placement[problem.edges[e].to]);
  return sum;
}

Status check(const Problem& problem) {
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) WOA_RETURN_IF_ERROR(check_node(problem, i));
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t e = 0; e < problem.edges.size(); ++e) {
    WOA_RETURN_IF_ERROR(check_edge(problem, e));
    if (!pairs.insert(std::minmax(problem.edges[e].from, problem.edges[e].to)).second)
      return bad_problem("edge " + std::to_string(e) + " joins two nodes that another one joins already");
  }
  for (const Row& row : problem.rows) WOA_RETURN_IF_ERROR(check_row(problem, row));
  for (const Fee& fee : problem.fees) WOA_RETURN_IF_ERROR(check_fee(problem, fee));
  if (problem.most_sum && (problem.objective == Objective::kSum || !in_range(*problem.most_sum)))
    return bad_problem("a limit of the sum that is the objective, or out of range");
  const auto open = [](const Row& row) { return !row.limit; };
  if (problem.objective == Objective::kLargestRow && std::ranges::none_of(problem.rows, open))
    return bad_problem("every row has a limit, so there is no largest one to be made smaller");
  return {};
}

bool sum_alone(const Problem& problem) {
  return problem.objective == Objective::kSum &&
         std::ranges::all_of(problem.rows, [](const Row& row) { return !row.limit; });
}

Value evaluate(const Problem& problem, const Placement& placement) {
  Value value;
  for (std::size_t i = 0; i < placement.size(); ++i) {
    const Cost cost = problem.nodes[i][placement[i]];
    if (cost == kForbidden && value.broken.empty()) value.broken = "node " + std::to_string(i);
    if (cost != kForbidden) value.sum += cost;
  }
  for (const Edge& edge : problem.edges)
    value.sum += edge.cost[placement[edge.from] * problem.components + placement[edge.to]];
  if (problem.objective == Objective::kSum) value.objective = value.sum;
  if (problem.most_sum && value.sum > *problem.most_sum && value.broken.empty()) value.broken = problem.sum_name;
  for (const Row& row : problem.rows) {
    const Sum sum = sum_of(row, problem, placement);
    if (row.limit && sum > *row.limit && value.broken.empty()) value.broken = row.name;
    if (problem.objective == Objective::kLargestRow && !row.limit) value.objective = std::max(value.objective, sum);
  }
  for (const Fee& fee : problem.fees)
    if (value.broken.empty() && spent(fee, placement) > fee.most) value.broken = fee.name;
  value.feasible = value.broken.empty();
  return value;
}

Cost largest_cost(const Problem& problem) {
  Cost most = 1;
  for (const auto& costs : problem.nodes)
    for (const Cost cost : costs) most = std::max(most, cost == kForbidden ? 1 : cost);
  for (const Edge& edge : problem.edges)
    for (const Cost cost : edge.cost) most = std::max(most, cost);
  return most;
}

}  // namespace woa::assign
