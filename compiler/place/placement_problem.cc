#include "compiler/place/placement_problem.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/diagnostics/report.h"
#include "compiler/parse/resources.h"
#include "compiler/place/edge_terms.h"
#include "compiler/place/legs.h"

namespace woa {
namespace {

using assign::kForbidden;
using assign::Problem;
using assign::Row;

constexpr std::uint32_t kSource = 0, kSink = 1;
constexpr std::uint64_t kKib = 1024 * kPerMillion;  // bytes are in millionths
// The largest number of a table: products of two are exact.
constexpr std::uint64_t kMostTableNumber = std::uint64_t{1} << 60;
// The most components, entries of edges, and weights of rows: only a table made by hand has more.
constexpr std::size_t kMostComponents = 64, kMostEntries = std::size_t{1} << 26;

Status bad_table(const std::string& what) { return {Code::kInvalid, "cost table: " + what}; }

class Builder {
 public:
  Builder(const CostTable& table, const PlacementGoal& goal, const std::vector<std::string>& stages)
      : table_(table),
        goal_(goal),
        stages_(stages),
        k_(static_cast<std::uint32_t>(table.components.size())),
        counts_(stages_with_counts(table)) {}

  Result<Problem> build() {
    WOA_RETURN_IF_ERROR(check_goal());
    WOA_RETURN_IF_ERROR(check_sizes());
    // With copies, who returns to whom depends on the placement.
    legs_ = legs_of(table_, goal_.model, goal_.copies > 1 ? Callers() : callers_of(table_));
    problem_.components = k_;
    problem_.objective = throughput() ? assign::Objective::kLargestRow : assign::Objective::kSum;
    WOA_RETURN_IF_ERROR(add_nodes());
    WOA_RETURN_IF_ERROR(add_edges());
    add_resources();
    WOA_RETURN_IF_ERROR(add_bounds());
    WOA_RETURN_IF_ERROR(add_fee("the bound on the price", goal_.most_price, &ComponentCosts::price));
    WOA_RETURN_IF_ERROR(add_fee("the bound on the power", goal_.most_power_mw, &ComponentCosts::power_mw));
    if (goal_.most_power_mw) problem_.fees.back().unit = "W", problem_.fees.back().per_unit = 1000;
    WOA_RETURN_IF_ERROR(check_largest_sum());
    WOA_RETURN_IF_ERROR(assign::check(problem_));
    return std::move(problem_);
  }

 private:
  [[nodiscard]] std::string name_of(std::size_t s) const { return name_of_stage(stages_, s); }
  [[nodiscard]] bool throughput() const { return goal_.objective == "throughput"; }

  [[nodiscard]] Status check_goal() const {
    if (call_model(goal_.model).name != goal_.model)
      return {Code::kInvalid, "there is no call model '" + goal_.model + "'"};
    if (goal_.objective != "latency" && goal_.objective != "throughput")
      return {Code::kInvalid, "there is no objective '" + goal_.objective + "'; choose latency or throughput"};
    if ((throughput() ? goal_.most_period_ps : goal_.most_latency_ps).has_value())
      return {Code::kInvalid, "a bound on the objective itself; bound the other one, or neither"};
    return {};
  }
  [[nodiscard]] Status check_sizes() const {
    if (k_ == 0 || table_.components[kHostComponent].controller != "host")
      return bad_table("the first component is no host");
    if (k_ > kMostComponents)
      return bad_table("there are " + std::to_string(k_ - 1) + " controllers that stages may run on, and " +
                       std::to_string(kMostComponents - 1) + " are the most; name fewer in the machine file");
    if (table_.edges.size() * k_ * k_ > kMostEntries || table_.stages.size() * k_ > kMostEntries)
      return bad_table("it is too large");
    if (table_.links.size() != std::size_t{k_} * k_) return bad_table("not a link for each pair of components");
    if (table_.stages.size() <= kSink) return bad_table("source or sink is missing");
    for (std::size_t s = 0; s < table_.stages.size(); ++s) {
      const StageCosts& stage = table_.stages[s];
      const auto too_much = [](std::int64_t time) { return time > static_cast<std::int64_t>(kMostTableNumber); };
      if (stage.firings > kMostTableNumber || std::ranges::any_of(stage.time_ps, too_much))
        return bad_table("a number of stage " + name_of(s) + " is too large");
      if (stage.time_ps.size() != k_ || (!stage.resources.empty() && stage.resources.size() != k_))
        return bad_table("stage " + name_of(s) + " has not an entry for each component");
    }
    for (const EdgeCosts& edge : table_.edges)
      if (edge.from >= table_.stages.size() || edge.to >= table_.stages.size())
        return bad_table("an edge joins stages that there are not");
    for (const EdgeCosts& edge : table_.edges)
      if (edge.tokens > kMostTableNumber || edge.requests.value_or(0) > kMostTableNumber ||
          edge.bytes > kMostTableNumber)
        return bad_table("a number of the edge from stage " + name_of(edge.from) + " is too large");
    for (const EdgeCosts& edge : table_.edges)
      if (edge.unread > edge.tokens || edge.unread_bytes > edge.bytes)
        return bad_table("more of the edge from stage " + name_of(edge.from) + " is never read than there is");
    for (const LinkCosts& link : table_.links)
      if (link.latency_ps > kMostTableNumber || link.ps_per_kib > kMostTableNumber)
        return bad_table("a number of a link is too large");
    for (const ComponentCosts& component : table_.components) {
      if (component.workers == 0) return bad_table("'" + component.controller + "' has no workers");
      if (component.cores.empty()) continue;
      const auto group = table_.cores.find(component.cores);
      if (group == table_.cores.end() || group->second == 0)
        return bad_table("'" + component.controller + "' shares cores that there are not");
    }
    return {};
  }

  // Checks that the value of any placement fits into the 64 bits of a certificate.
  [[nodiscard]] Status check_largest_sum() const {
    Sum sum = 0;
    for (const auto& costs : problem_.nodes) sum += largest(costs);
    for (const assign::Edge& edge : problem_.edges) sum += largest(edge.cost);
    if (weights_ > kMostEntries) return bad_table("it is too large");
    return sum < (Sum{1} << 62) ? Status() : bad_table("the whole takes more than can be counted");
  }
  [[nodiscard]] static Cost largest(const std::vector<Cost>& costs) {
    Cost most = 0;
    for (const Cost cost : costs)
      if (cost != kForbidden) most = std::max(most, cost);
    return most;
  }

  // The time of all firings of an instance; nothing: the stage may not run there.
  [[nodiscard]] std::optional<Sum> time_of(std::size_t s, std::uint32_t l) const {
    const StageCosts& stage = table_.stages[s];
    if (stage.time_ps[l] < 0) return std::nullopt;
    return Sum{stage.time_ps[l]} * stage.firings / kPerMillion;
  }
  Status add_nodes() {
    for (std::size_t s = 0; s < table_.stages.size(); ++s) {
      auto& costs = problem_.nodes.emplace_back(k_, kForbidden);
      for (std::uint32_t l = 0; l < k_; ++l) {
        if (s <= kSink && l != kHostComponent) continue;
        const std::optional<Sum> time = time_of(s, l);
        if (!time) continue;
        const Route route = route_of_firing(goal_.model, l, counts_[s]);
        const Sum cost = *time + cost_of(table_, route, table_.stages[s].firings, 0);
        if (cost > kMostCost) return bad_table("stage " + name_of(s) + " takes more than can be counted");
        costs[l] = static_cast<Cost>(cost);
      }
      if (std::ranges::all_of(costs, [](Cost cost) { return cost == kForbidden; }))
        return bad_table("stage " + name_of(s) + " may run nowhere");
    }
    return {};
  }

  // Joins all legs between two stages into one edge of the problem.
  Status add_edges() {
    for (const Leg& leg : legs_) {
      const EdgeCosts& edge = leg.costs;
      if (edge.from == edge.to) {
        WOA_RETURN_IF_ERROR(add_to_itself(leg));
        continue;
      }
      const auto [at, added] = joined_.emplace(std::minmax(edge.from, edge.to), problem_.edges.size());
      if (added)
        problem_.edges.push_back({at->first.first, at->first.second, std::vector<Cost>(std::size_t{k_} * k_, 0)});
      const bool forward = problem_.edges[at->second].from == edge.from;
      for (std::uint32_t a = 0; a < k_; ++a)
        for (std::uint32_t b = 0; b < k_; ++b) {
          Cost& cost = problem_.edges[at->second].cost[forward ? a * k_ + b : b * k_ + a];
          WOA_RETURN_IF_ERROR(add(cost, leg, a, b));
        }
    }
    return {};
  }
  [[nodiscard]] Status add(Cost& cost, const Leg& leg, std::uint32_t a, std::uint32_t b) const {
    const EdgeCosts& edge = leg.costs;
    const Route route = route_of_leg(goal_.model, a, b, leg.kind);
    const Sum sum = cost + cost_of(table_, route, edge);
    if (sum > kMostCost)
      return bad_table("the edges between stages " + name_of(edge.from) + " and " + name_of(edge.to) +
                       " take more than can be counted");
    cost = static_cast<Cost>(sum);
    return {};
  }
  // A leg from a stage to itself adds to the stage's own cost.
  Status add_to_itself(const Leg& leg) {
    for (std::uint32_t l = 0; l < k_; ++l)
      if (Cost& cost = problem_.nodes[leg.costs.from][l]; cost != kForbidden) WOA_RETURN_IF_ERROR(add(cost, leg, l, l));
    return {};
  }

  // More than any controller has: such a limit allows everything, such a need nothing.
  static constexpr std::uint64_t kEverything = static_cast<std::uint64_t>(kMostCost);
  // All stages of a core share its parts of the fpga; memory and multiprocessors are each stage's own.
  void find_cores() {
    std::map<std::string, std::uint32_t> numbers;
    bool any = false;
    for (const StageCosts& stage : table_.stages) {
      const auto number = static_cast<std::uint32_t>(numbers.size() + 1);
      const auto [core, added] = numbers.emplace(stage.core, number);
      any = any || (!stage.core.empty() && !added);
      cores_.push_back(stage.core.empty() ? 0 : core->second);
    }
    if (!any) cores_.clear();
  }
  void add_resources() {
    find_cores();
    for (std::uint32_t l = 0; l < k_; ++l) {
      for (const auto& [name, limit] : table_.components[l].resources) {
        if (limit >= kEverything) continue;
        Row row{name + " of " + table_.components[l].controller, weights()};
        row.limit = static_cast<Cost>(limit);
        if (is_part_of_core(name)) row.shared = cores_;
        for (std::size_t s = 0; s < table_.stages.size(); ++s) {
          if (table_.stages[s].resources.empty()) continue;
          const auto& taken = table_.stages[s].resources[l];
          if (const auto found = taken.find(name); found != taken.end())
            row.nodes[s * k_ + l] = static_cast<Cost>(std::min(found->second, kEverything));
        }
        if (std::ranges::any_of(row.nodes, [](Cost weight) { return weight != 0; })) add(std::move(row));
      }
    }
  }
  Status add_bounds() {
    if (throughput() && goal_.most_latency_ps) {
      if (*goal_.most_latency_ps > static_cast<std::uint64_t>(kMostCost)) return bad_table("a bound that is too large");
      problem_.most_sum = static_cast<Cost>(*goal_.most_latency_ps);
      problem_.sum_name = "the latency";
    }
    if (!throughput() && !goal_.most_period_ps) return {};
    if (goal_.most_period_ps && *goal_.most_period_ps > static_cast<std::uint64_t>(kMostCost))
      return bad_table("a bound that is too large");
    const EdgeTerms edges(table_, legs_, problem_, joined_, goal_.model);
    add_loads(edges);
    add_link_loads(edges);
    return {};
  }
  // The host costs nothing: it is in use whatever runs where.
  Status add_fee(const std::string& name, std::optional<std::uint64_t> most,
                 std::optional<std::uint64_t> ComponentCosts::*figure) {
    if (!most) return {};
    assign::Fee fee{name, std::vector<Cost>(k_, 0), 0};
    for (std::uint32_t l = kHostComponent + 1; l < k_; ++l) {
      const std::optional<std::uint64_t>& known = table_.components[l].*figure;
      if (!known && is_open(l))
        return bad_table(name + ": that of '" + table_.components[l].controller + "' is not known");
      if (*most >= kEverything || known.value_or(0) >= kEverything)
        return bad_table(name + ": a number that is too large");
      fee.of[l] = static_cast<Cost>(known.value_or(0));
    }
    fee.most = static_cast<Cost>(*most);
    problem_.fees.push_back(std::move(fee));
    return {};
  }
  // May a stage run there?
  [[nodiscard]] bool is_open(std::uint32_t l) const {
    return std::ranges::any_of(problem_.nodes, [&](const auto& costs) { return costs[l] != kForbidden; });
  }
  [[nodiscard]] std::vector<Cost> weights() const { return std::vector<Cost>(table_.stages.size() * k_, 0); }
  [[nodiscard]] std::optional<Cost> period() const {
    if (!goal_.most_period_ps) return std::nullopt;
    return static_cast<Cost>(*goal_.most_period_ps);
  }
  // Rounded up, so that no load is underestimated.
  [[nodiscard]] Cost load(std::size_t s, std::uint32_t l, std::uint64_t shared_by) const {
    const std::optional<Sum> time = time_of(s, l);
    return time ? static_cast<Cost>((*time + shared_by - 1) / shared_by) : 0;
  }
  void add_loads(const EdgeTerms& edges) {
    for (std::uint32_t l = 0; l < k_; ++l) {
      Row row{"load of " + table_.components[l].controller, weights(), {}, period()};
      for (std::size_t s = kSink + 1; s < table_.stages.size(); ++s)
        row.nodes[s * k_ + l] = load(s, l, table_.components[l].workers);
      add_messages(row, {l}, table_.components[l].workers, edges);
      if (l != kHostComponent || table_.components[l].message_ps != 0) add(std::move(row));
    }
    for (std::size_t s = kSink + 1; s < table_.stages.size(); ++s) add_serial_load(s);
    for (const auto& [group, cores] : table_.cores) {
      Row row{"load of the cores " + group, weights(), {}, period()};
      std::vector<std::uint32_t> members;
      for (std::uint32_t l = 0; l < k_; ++l) {
        if (table_.components[l].cores != group) continue;
        members.push_back(l);
        for (std::size_t s = kSink + 1; s < table_.stages.size(); ++s) row.nodes[s * k_ + l] = load(s, l, cores);
      }
      add_messages(row, members, cores, edges);
      add(std::move(row));
    }
  }
  // Adds what messages take of some components to the row of their load, which has its nodes; components that share
  // cores count as the cheapest of them.
  void add_messages(Row& row, const std::vector<std::uint32_t>& members, std::uint64_t shared_by,
                    const EdgeTerms& edges) {
    Sum message = kMostTableNumber;
    for (const std::uint32_t l : members) message = std::min(message, Sum{table_.components[l].message_ps});
    if (members.empty() || message == 0) return;
    const auto ends_of = [&](const Hop& hop) {
      const auto is_one = [&](std::uint32_t l) { return std::ranges::count(members, l); };
      return static_cast<std::uint8_t>(hop.message ? is_one(hop.from) + is_one(hop.to) : 0);
    };
    const auto weight_of = [&](const Crossing& all) {
      const Sum parts = Sum{kPerMillion} * shared_by;
      return static_cast<Cost>(std::min(Sum{kMostCost}, (message * all.tokens + parts - 1) / parts));
    };
    std::vector<Passing> hops;
    for (Passing hop : edges.passings())
      if (hop.times = ends_of(hop.hop); hop.times != 0) hops.push_back(hop);
    edges.add(row, hops, weight_of);
    for (std::size_t s = kSink + 1; s < table_.stages.size(); ++s)
      for (std::uint32_t l = 0; l < k_; ++l) {
        Cost& weight = row.nodes[s * k_ + l];
        const Route route = route_of_firing(goal_.model, l, counts_[s]);
        for (const Hop& hop : route.hops())
          weight = std::min(kMostCost, weight + ends_of(hop) * weight_of({table_.stages[s].firings, 0}));
      }
  }
  // Drops rows beyond kMostEntries, but counts their weights for check_largest_sum().
  void add(Row row) {
    weights_ += row.nodes.size() + 2 * row.terms.size() * problem_.edges.size();
    if (weights_ <= kMostEntries) problem_.rows.push_back(std::move(row));
  }
  // A stage whose firings run one at a time uses one worker, however many there are.
  void add_serial_load(std::size_t s) {
    const auto many = [](const ComponentCosts& component) { return component.workers > 1; };
    if (!table_.stages[s].serial || std::ranges::none_of(table_.components, many)) return;
    Row row{"load of stage " + name_of(s), weights(), {}, period()};
    for (std::uint32_t l = 0; l < k_; ++l) row.nodes[s * k_ + l] = load(s, l, 1);
    add(std::move(row));
  }

  // Adds a row for each link that payload may cross.
  void add_link_loads(const EdgeTerms& edges) {
    std::vector<std::vector<Passing>> hops(std::size_t{k_} * k_);
    for (const Passing& each : edges.passings())
      for (const auto& [x, y] : links_of(table_, each.hop)) hops[x * k_ + y].push_back(each);
    for (std::uint32_t x = 0; x < k_; ++x)
      for (std::uint32_t y = 0; y < k_; ++y) {
        const LinkCosts& link = table_.links[x * k_ + y];
        if (hops[x * k_ + y].empty() || !link.direct || link.ps_per_kib == 0) continue;
        Row row{"load of the link from " + table_.components[x].controller + " to " + table_.components[y].controller,
                weights(),
                {},
                period()};
        edges.add(row, hops[x * k_ + y], [&](const Crossing& all) {
          return static_cast<Cost>(std::min(Sum{kMostCost}, transfer_ps(link, all.bytes)));
        });
        if (std::ranges::all_of(row.nodes, [](Cost weight) { return weight == 0; })) row.nodes.clear();
        add(std::move(row));
      }
  }

  const CostTable& table_;
  const PlacementGoal& goal_;
  const std::vector<std::string>& stages_;
  std::uint32_t k_;
  std::vector<bool> counts_;  // by stage: does it scatter?
  std::vector<Leg> legs_;
  Problem problem_;
  std::vector<std::uint32_t> cores_;  // by stage, as Row::shared
  std::size_t weights_ = 0;           // of all rows
  EdgeTerms::Joined joined_;
};

}  // namespace

std::string name_of_stage(const std::vector<std::string>& stages, std::size_t stage) {
  return stage < stages.size() ? "'" + stages[stage] + "'" : std::to_string(stage);
}

Sum cost_of(const CostTable& table, const Route& route, std::uint64_t tokens, std::uint64_t bytes) {
  EdgeCosts edge;
  edge.tokens = tokens, edge.bytes = bytes;
  return cost_of(table, route, edge);
}

std::vector<bool> stages_with_counts(const CostTable& table) {
  std::vector<bool> counts(table.stages.size());
  for (const EdgeCosts& edge : table.edges)
    if (edge.count && edge.from < counts.size()) counts[edge.from] = true;
  return counts;
}

Crossing crossing(const Hop& hop, const EdgeCosts& edge) {
  if (hop.asks) return {edge.requests.value_or(edge.tokens), 0};
  if (!hop.called) return {edge.tokens, edge.bytes};
  return {edge.tokens - edge.unread, edge.bytes - edge.unread_bytes};
}

Sum cost_of(const CostTable& table, const Route& route, const EdgeCosts& edge) {
  Sum sum = 0;
  for (const Hop& hop : route.hops()) {
    const LinkCosts& link = table.links[hop.from * table.components.size() + hop.to];
    const Crossing all = crossing(hop, edge);
    if (hop.message) sum += Sum{link.latency_ps} * all.tokens / kPerMillion;
    if (hop.payload) sum += Sum{link.ps_per_kib} * all.bytes / kKib;
  }
  return sum;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> links_of(const CostTable& table, const Hop& hop) {
  if (!hop.payload) return {};
  if (table.links[hop.from * table.components.size() + hop.to].direct) return {{hop.from, hop.to}};
  return {{hop.from, kHostComponent}, {kHostComponent, hop.to}};
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> links_of(const CostTable& table, const Route& route) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  for (const Hop& hop : route.hops())
    for (const auto& link : links_of(table, hop)) links.push_back(link);
  return links;
}

Sum transfer_ps(const LinkCosts& link, std::uint64_t bytes) { return (Sum{link.ps_per_kib} * bytes + kKib - 1) / kKib; }

Result<assign::Problem> placement_problem(const CostTable& table, const PlacementGoal& goal,
                                          const std::vector<std::string>& stages) {
  return Builder(table, goal, stages).build();
}

}  // namespace woa
