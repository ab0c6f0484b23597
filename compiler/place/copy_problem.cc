#include "compiler/place/copy_problem.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "compiler/place/placement_problem.h"

namespace woa {
namespace {

using assign::kForbidden;
using assign::Problem;
using assign::Row;

constexpr std::size_t kMostEntriesOfSets = std::size_t{1} << 26;  // of edges and rows

Status bad_copies(const std::string& what) { return {Code::kInvalid, "copies: " + what}; }

bool may_be_on(const Problem& single, std::size_t node, const ComponentSet& set) {
  return std::ranges::all_of(set, [&](std::uint32_t l) { return single.nodes[node][l] != kForbidden; });
}

// Sets of up to `most` components that a copyable stage may be on, smaller ones first; sets of one are always there.
// Stops soon after kMostComponentSets.
std::vector<ComponentSet> find_sets(const CostTable& table, const Problem& single, std::uint32_t most) {
  std::vector<ComponentSet> sets;
  for (std::uint32_t l = 0; l < single.components; ++l) sets.push_back({l});
  const auto somebody_may = [&](const ComponentSet& set) {
    for (std::size_t s = 0; s < table.stages.size(); ++s)
      if (table.stages[s].copyable && may_be_on(single, s, set)) return true;
    return false;
  };
  for (std::size_t at = 0; at < sets.size() && sets.size() <= kMostComponentSets; ++at) {
    if (sets[at].size() == most) break;
    for (std::uint32_t l = sets[at].back() + 1; l < single.components; ++l) {
      ComponentSet larger = sets[at];
      larger.push_back(l);
      if (somebody_may(larger)) sets.push_back(std::move(larger));
    }
  }
  return sets;
}

class CopyProblemMaker {
 public:
  CopyProblemMaker(const CostTable& table, const PlacementGoal& goal, const std::vector<std::string>& stages,
                   Problem single, std::vector<ComponentSet> sets)
      : table_(table),
        stages_(stages),
        nearest_(table, goal.model),
        single_(std::move(single)),
        sets_(std::move(sets)) {}

  Result<CopyProblem> make() {
    const std::size_t k = sets_.size();
    if (single_.edges.size() * k * k > kMostEntriesOfSets ||
        single_.rows.size() * single_.nodes.size() * k > kMostEntriesOfSets)
      return bad_copies("the graph is too large for so many sets of controllers");
    out_.components = static_cast<std::uint32_t>(k);
    out_.objective = single_.objective;
    out_.most_sum = single_.most_sum;
    out_.sum_name = single_.sum_name;
    for (std::size_t s = 0; s < single_.nodes.size(); ++s) add_node(s);
    WOA_RETURN_IF_ERROR(add_edges());
    for (const Row& row : single_.rows) add_row(row);
    WOA_RETURN_IF_ERROR(check_largest_sum());
    WOA_RETURN_IF_ERROR(assign::check(out_));
    return CopyProblem{std::move(out_), std::move(sets_)};
  }

 private:
  void add_node(std::size_t s) {
    auto& costs = out_.nodes.emplace_back();
    for (const ComponentSet& set : sets_) {
      Cost cost = 0;
      for (const std::uint32_t l : set) cost += single_.nodes[s][l] == kForbidden ? 0 : single_.nodes[s][l];
      const bool may = may_be_on(single_, s, set) && (set.size() == 1 || table_.stages[s].copyable);
      costs.push_back(may ? cost : kForbidden);
    }
  }

  Status add_edges() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> written;  // writer, reader
    for (const EdgeCosts& edge : table_.edges) written.emplace(edge.from, edge.to);
    for (const EdgeCosts& edge : table_.edges)
      if (edge.from == edge.to && table_.stages[edge.from].copyable)
        return bad_copies("stage " + name_of_stage(stages_, edge.from) + " may have some and is in a loop");
    for (const assign::Edge& edge : single_.edges) {
      const bool back = written.contains({edge.to, edge.from});
      if (back && written.contains({edge.from, edge.to}) &&
          (table_.stages[edge.from].copyable || table_.stages[edge.to].copyable))
        return bad_copies("stages " + name_of_stage(stages_, edge.from) + " and " + name_of_stage(stages_, edge.to) +
                          " may have some and are in a loop");
      assign::Edge& all = out_.edges.emplace_back(assign::Edge{edge.from, edge.to, {}});
      for (const ComponentSet& from : sets_)
        for (const ComponentSet& to : sets_) all.cost.push_back(cost_of(edge, back, from, to));
    }
    return {};
  }
  // The costs of each copy of the reader from the nearest copy of the writer.
  [[nodiscard]] Cost cost_of(const assign::Edge& edge, bool back, const ComponentSet& from,
                             const ComponentSet& to) const {
    const std::size_t k = single_.components;
    Cost cost = 0;
    for (const std::uint32_t reader : back ? from : to) {
      const std::uint32_t writer = nearest_.of(back ? to : from, reader);
      cost += edge.cost[back ? reader * k + writer : writer * k + reader];
    }
    return cost;
  }

  void add_row(const Row& row) {
    Row all{row.name, {}, {}, row.limit, row.shared};
    const std::size_t k = single_.components;
    for (std::size_t s = 0; !row.nodes.empty() && s < single_.nodes.size(); ++s)
      for (const ComponentSet& set : sets_) {
        Cost weight = 0;
        for (const std::uint32_t l : set) weight += row.nodes[s * k + l];
        all.nodes.push_back(std::min(weight, kMostCost));  // a clamped weight breaks its limit
      }
    for (const assign::RowTerm& term : row.terms) all.terms.push_back({pairs_of(term), term.edges, term.back});
    out_.rows.push_back(std::move(all));
  }
  // By pair of sets: how often the ways to all copies of the reader count.
  [[nodiscard]] std::vector<std::uint8_t> pairs_of(const assign::RowTerm& term) const {
    std::vector<std::uint8_t> pairs;
    for (const ComponentSet& from : sets_)
      for (const ComponentSet& to : sets_) {
        std::uint8_t times = 0;
        for (const std::uint32_t reader : to)
          times =
              static_cast<std::uint8_t>(times + term.pairs[nearest_.of(from, reader) * single_.components + reader]);
        pairs.push_back(times);
      }
    return pairs;
  }

  // Checks that the value of any placement fits into the 64 bits of a certificate.
  [[nodiscard]] Status check_largest_sum() const {
    Sum sum = 0;
    const auto add = [&](const std::vector<Cost>& costs) {
      Cost most = 0;
      for (const Cost cost : costs) most = std::max(most, cost == kForbidden ? 0 : cost);
      sum += most;
    };
    for (const auto& costs : out_.nodes) add(costs);
    for (const assign::Edge& edge : out_.edges) add(edge.cost);
    return sum < (Sum{1} << 62) ? Status() : bad_copies("the whole takes more than can be counted");
  }

  const CostTable& table_;
  const std::vector<std::string>& stages_;
  NearestCopy nearest_;
  Problem single_;
  std::vector<ComponentSet> sets_;
  Problem out_;
};

}  // namespace

Result<CopyProblem> copy_problem(const CostTable& originals, const PlacementGoal& goal,
                                 const std::vector<std::string>& stages) {
  if (goal.copies < 1 || goal.copies > kMostCopies)
    return bad_copies(std::to_string(goal.copies) + " of a stage, expected 1 to " + std::to_string(kMostCopies));
  if (goal.copies > 1 && (goal.most_price || goal.most_power_mw))
    return bad_copies("none are made where the price or power of controllers in use is bounded");
  auto single = placement_problem(originals, goal, stages);
  if (!single.ok()) return single.status();
  std::vector<ComponentSet> sets = find_sets(originals, *single, goal.copies);
  if (sets.size() == single->components) return CopyProblem{std::move(*single), std::move(sets)};
  if (sets.size() > kMostComponentSets)
    return bad_copies("there are more than " + std::to_string(kMostComponentSets) +
                      " sets of controllers that a stage may be on");
  return CopyProblemMaker(originals, goal, stages, std::move(*single), std::move(sets)).make();
}

std::optional<assign::Placement> placement_on(const CopyProblem& problem, const std::vector<ComponentSet>& places) {
  std::map<ComponentSet, std::uint32_t> numbers;
  for (std::uint32_t l = 0; l < problem.sets.size(); ++l) numbers.emplace(problem.sets[l], l);
  assign::Placement placement;
  for (const ComponentSet& place : places) {
    const auto number = numbers.find(place);
    if (number == numbers.end()) return std::nullopt;
    placement.push_back(number->second);
  }
  return placement;
}

CostTable write_out_copies(const CostTable& originals, const PlacementGoal& goal, const CopyProblem& problem,
                           assign::Solution& solution) {
  std::vector<ComponentSet> places;
  for (const std::uint32_t component : solution.placement) places.push_back(problem.sets[component]);
  const NearestCopy nearest(originals, goal.model);
  places = without_idle(originals, nearest, std::move(places));
  if (const auto placement = placement_on(problem, places)) {  // the problem has the smaller sets, too
    solution.value = assign::evaluate(problem.problem, *placement);
    if (solution.bound == solution.value.objective) solution.standing = assign::Standing::kProved;
  }
  Placed placed = with_copies(originals, nearest, places);
  solution.placement = std::move(placed.placement);
  return std::move(placed.table);
}

}  // namespace woa
