// Reasons for a placement: within the safe range of a cost no placement is better, beyond it one is.
#include "compiler/explain/sensitivity.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/place/certify.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/placement_problem.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/place/any_table.h"
#include "tests/unit/compiler/place/solver/brute_force.h"

namespace woa::test {
namespace {

// Enlarges costs so that rounding does not matter.
void enlarge(CostTable& costs) {
  for (StageCosts& stage : costs.stages)
    for (std::int64_t& time : stage.time_ps) time *= time > 0 ? 100'000 : 1;
  for (LinkCosts& link : costs.links) link.latency_ps *= 100'000, link.ps_per_kib *= 100'000;
}
CostTable any_large_table() {
  CostTable costs = any_table();
  enlarge(costs);
  return costs;
}

// Nothing: no placement keeps the goal's bounds.
std::optional<Certificate> certificate_of(const CostTable& costs, const PlacementGoal& goal = {}) {
  const auto problem = placement_problem(costs, goal);
  RC_ASSERT(problem.ok());
  const auto solution = assign::solve(*problem, {.limit = std::chrono::seconds(20), .solver = false});
  if (!solution.ok()) return std::nullopt;
  RC_ASSERT(solution->standing == assign::Standing::kProved);
  return certify(goal, costs, *solution);
}

// How much better the best placement is; nothing: this one breaks a bound.
std::optional<Sum> loss(const CostTable& costs, const PlacementGoal& goal, const assign::Placement& placement) {
  const auto problem = placement_problem(costs, goal);
  const assign::Value value = assign::evaluate(*problem, placement);
  if (!value.feasible) return std::nullopt;
  return value.objective - *assign::test::brute_force(*problem);
}

template <class Number>
void scale(Number& number, double factor) {
  number = static_cast<Number>(std::round(static_cast<double>(number) * factor));
}
std::string kind_of(const CostTable& costs, std::size_t component) {
  return costs.components[component].controller.substr(0, costs.components[component].controller.find(':'));
}
CostTable with_time(CostTable costs, const StageReason& reason, double factor) {
  for (std::size_t l = 0; l < costs.components.size(); ++l)
    if (l != kHost && kind_of(costs, l) == kind_of(costs, reason.components.front()))
      scale(costs.stages[reason.stage].time_ps[l], factor);
  return costs;
}
CostTable with_link(CostTable costs, const LinkReason& reason, std::uint64_t LinkCosts::*cost, double factor) {
  const std::size_t k = costs.components.size();
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b < k; ++b)
      if (a != b && std::minmax(kind_of(costs, a), kind_of(costs, b)) ==
                        std::minmax(kind_of(costs, reason.from), kind_of(costs, reason.to)))
        scale(costs.links[a * k + b].*cost, factor);
  return costs;
}

// Checks both ends of the range, and a factor between them.
template <class Change>
void check_within(const SafeRange& range, const Certificate& certificate, const Change& changed) {
  RC_ASSERT(range.least <= 1 && range.most >= 1);
  const double share = *rc::gen::inRange(0, 1001) / 1000.0, least = std::max(range.least, 1e-4);
  for (const double factor : {range.least, range.most, least * std::pow(range.most / least, share)}) {
    const auto lost = loss(changed(factor), certificate.goal, certificate.placement);
    constexpr Sum kRounding = 100;
    RC_ASSERT(lost && *lost <= kRounding);
  }
}
template <class Change>
void check_beyond(const SafeRange& range, const Certificate& certificate, const Change& changed) {
  const auto is_lost = [&](double factor) {
    return loss(changed(factor), certificate.goal, certificate.placement) != Sum{0};
  };
  if (range.most_sharp) RC_ASSERT(is_lost(range.most * 1.02));
  if (range.least_sharp) RC_ASSERT(is_lost(range.least / 1.02));
}
// Holds where the search had time enough.
void check_sharp(const SafeRange& range) {
  RC_ASSERT(range.most_sharp == (range.most < SafeRange::kMostFactor));
  RC_ASSERT(range.least_sharp == (range.least > 0.001));
}

using Places = std::vector<ComponentSet>;

CostTable with_time_of_copies(CostTable table, const StageReason& reason, double factor) {
  for (std::size_t l = 1; l < table.components.size(); ++l)
    if (std::ranges::any_of(reason.components, [&](auto at) { return kind_of(table, l) == kind_of(table, at); }))
      scale(table.stages[reason.stage].time_ps[l], factor);
  return table;
}
// Changes the cost of all links like that one: between the same kinds, and of the same cost.
CostTable with_alike(const CostTable& table, const LinkReason& reason, std::uint64_t LinkCosts::*cost, double factor) {
  const std::size_t k = table.components.size();
  CostTable changed = table;
  const auto is_like = [&](std::size_t a, std::size_t b) {
    return kind_of(table, a) == kind_of(table, reason.from) && kind_of(table, b) == kind_of(table, reason.to) &&
           table.links[a * k + b] == table.links[reason.from * k + reason.to] &&
           table.links[b * k + a] == table.links[reason.to * k + reason.from];
  };
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b < k; ++b)
      if (a != b && (is_like(a, b) || is_like(b, a))) scale(changed.links[a * k + b].*cost, factor);
  return changed;
}
template <class Change>
void check_with_copies(const SafeRange& range, const PlacementGoal& goal, const Places& places, const Change& changed) {
  RC_ASSERT(range.least <= 1 && range.most >= 1);
  const double share = *rc::gen::inRange(0, 1001) / 1000.0, least = std::max(range.least, 1e-4);
  for (const double factor : {range.least, range.most, least * std::pow(range.most / least, share)}) {
    const auto problem = copy_problem(changed(factor), goal);
    const assign::Value value = assign::evaluate(problem->problem, *placement_on(*problem, places));
    constexpr Sum kRounding = 100;
    RC_ASSERT(value.feasible);
    RC_ASSERT(value.objective - *assign::test::brute_force(problem->problem) <= kRounding);
  }
}

PlacementGoal any_goal(const CostTable& costs) {
  PlacementGoal goal;
  goal.model = any(0, 1) == 0 ? "woa" : "rpc-hub";
  if (any(0, 1) == 0) goal.objective = "throughput";
  const auto best = certificate_of(costs, goal);
  const auto bound = static_cast<std::uint64_t>(best->value_ps) * any(2, 12) / 8;
  switch (any(0, 2)) {
    case 0: (goal.objective == "latency" ? goal.most_period_ps : goal.most_latency_ps) = bound; break;
    case 1: goal.most_price = any(0, 20); break;
    default: break;
  }
  return goal;
}

}  // namespace

TEST_CASE("a stage's time may move within its range, and no further") {
  CHECK(rc::check([] {
    const CostTable costs = any_large_table();
    const Certificate certificate = *certificate_of(costs);
    const auto reasons = explain_placement(plan_of(costs, certificate), std::chrono::seconds(60));
    RC_ASSERT(reasons.ok());
    RC_ASSERT(reasons->complete);
    RC_ASSERT(reasons->stages.size() == costs.stages.size() - 2);
    for (const StageReason& reason : reasons->stages) {
      const auto changed = [&](double factor) { return with_time(costs, reason, factor); };
      check_within(reason.time, certificate, changed);
      check_beyond(reason.time, certificate, changed);
      check_sharp(reason.time);
    }
  }));
}

TEST_CASE("an end that was not found out in time is not called sharp") {
  CHECK(rc::check([] {
    const CostTable costs = any_large_table();
    const Certificate certificate = *certificate_of(costs);
    const auto reasons = explain_placement(plan_of(costs, certificate), std::chrono::milliseconds(any(0, 3)));
    RC_ASSERT(reasons.ok());
    for (const StageReason& reason : reasons->stages) {
      const auto changed = [&](double factor) { return with_time(costs, reason, factor); };
      RC_ASSERT(reason.time.is_known());  // otherwise the stage is left out
      check_within(reason.time, certificate, changed);
      check_beyond(reason.time, certificate, changed);
    }
  }));
}

TEST_CASE("a link's costs may move within their ranges, and no further") {
  CHECK(rc::check([] {
    const CostTable costs = any_large_table();
    const Certificate certificate = *certificate_of(costs);
    const auto reasons = explain_placement(plan_of(costs, certificate), std::chrono::seconds(60));
    RC_ASSERT(reasons.ok());
    for (const LinkReason& reason : reasons->links) {
      const auto latency = [&](double factor) { return with_link(costs, reason, &LinkCosts::latency_ps, factor); };
      check_within(reason.latency, certificate, latency);
      check_beyond(reason.latency, certificate, latency);
      const auto bytes = [&](double factor) { return with_link(costs, reason, &LinkCosts::ps_per_kib, factor); };
      check_within(reason.ps_per_kib, certificate, bytes);
      check_beyond(reason.ps_per_kib, certificate, bytes);
      check_sharp(reason.latency), check_sharp(reason.ps_per_kib);
    }
  }));
}

TEST_CASE("whatever is asked for and bounded, nothing is better within a range") {
  CHECK(rc::check([] {
    const CostTable costs = any_large_table();
    const PlacementGoal goal = any_goal(costs);
    const auto certificate = certificate_of(costs, goal);
    if (!certificate) return;
    CertifiedPlan plan = plan_of(costs, *certificate);
    const auto reasons = explain_placement(plan, std::chrono::seconds(60));
    RC_ASSERT(reasons.ok());
    for (const StageReason& reason : reasons->stages)
      check_within(reason.time, *certificate, [&](double factor) { return with_time(costs, reason, factor); });
    for (const LinkReason& reason : reasons->links) {
      check_within(reason.latency, *certificate,
                   [&](double factor) { return with_link(costs, reason, &LinkCosts::latency_ps, factor); });
      check_within(reason.ps_per_kib, *certificate,
                   [&](double factor) { return with_link(costs, reason, &LinkCosts::ps_per_kib, factor); });
    }
  }));
}

TEST_CASE("with copies, nothing is better within a range") {
  CHECK(rc::check([] {
    CostTable table = any_copyable_table(4);
    enlarge(table);
    for (LinkCosts& link : table.links) link.direct = true;
    const PlacementGoal goal{.copies = 2};
    const auto problem = copy_problem(table, goal);
    RC_ASSERT(problem.ok());
    auto solution = assign::solve(problem->problem, {.limit = std::chrono::seconds(20), .solver = false});
    if (!solution.ok()) return;
    const CostTable costs = write_out_copies(table, goal, *problem, *solution);
    const auto reasons = explain_placement(plan_of(costs, certify(goal, costs, *solution)), std::chrono::seconds(60));
    RC_ASSERT(reasons.ok());
    const auto originals = without_copies(costs);
    const Places places = places_of(*originals, solution->placement);
    for (StageReason reason : reasons->stages) {
      reason.stage = originals->stage_of[reason.stage];
      check_with_copies(reason.time, goal, places,
                        [&](double factor) { return with_time_of_copies(table, reason, factor); });
    }
    for (const LinkReason& reason : reasons->links) {
      check_with_copies(reason.latency, goal, places,
                        [&](double factor) { return with_alike(table, reason, &LinkCosts::latency_ps, factor); });
      check_with_copies(reason.ps_per_kib, goal, places,
                        [&](double factor) { return with_alike(table, reason, &LinkCosts::ps_per_kib, factor); });
    }
  }));
}

TEST_CASE("what a stage costs elsewhere is the least with it there") {
  CHECK(rc::check([] {
    const CostTable costs = any_table();
    const Certificate certificate = *certificate_of(costs);
    const auto reasons = explain_placement(plan_of(costs, certificate), std::chrono::seconds(60));
    RC_ASSERT(reasons.ok());
    for (const StageReason& reason : reasons->stages) {
      RC_ASSERT(reason.elsewhere.size() == costs.components.size() - 2);  // not on the host
      for (const Elsewhere& elsewhere : reason.elsewhere) {
        CostTable there = costs;
        for (std::size_t l = 0; l < costs.components.size(); ++l)
          if (l != elsewhere.components.front()) there.stages[reason.stage].time_ps[l] = kNowhere_ps;
        RC_ASSERT(elsewhere.proved);
        RC_ASSERT(Sum{elsewhere.value_ps} == *assign::test::brute_force(*placement_problem(there, {})));
        RC_ASSERT(elsewhere.value_ps >= certificate.value_ps);
      }
    }
  }));
}

TEST_CASE("where each stage may run on one controller only, nothing that changes moves any") {
  CostTable costs;
  costs.components = {{"host", 1, {}, {}}, {"cpu:0", 1, {}, {}}, {"cpu:1", 1, {}, {}}};
  costs.links.assign(9, {1'000, 1024, true});
  for (std::size_t l = 0; l < 3; ++l) costs.links[l * 3 + l] = {};
  costs.stages.assign(4, {{0, kNowhere_ps, kNowhere_ps}, kPerMillion, {}});
  costs.stages[2].time_ps = {kNowhere_ps, 10'000, kNowhere_ps};
  costs.stages[3].time_ps = {kNowhere_ps, kNowhere_ps, 9'000};
  costs.edges = {{0, 2, kPerMillion, 0}, {2, 3, kPerMillion, 9'500 * kPerMillion}, {3, 1, kPerMillion, 0}};
  mark_calls(costs);
  const Certificate certificate = *certificate_of(costs, {.objective = "throughput"});
  const auto reasons = explain_placement(plan_of(costs, certificate), std::chrono::seconds(60));
  REQUIRE(reasons.ok());
  const auto is_anything = [](const SafeRange& range) {
    return range.least == 0 && range.most == SafeRange::kMostFactor;
  };
  for (const StageReason& reason : reasons->stages) {
    CHECK(is_anything(reason.time));
    CHECK(reason.elsewhere.empty());
  }
  for (const LinkReason& reason : reasons->links)
    CHECK((is_anything(reason.latency) && is_anything(reason.ps_per_kib)));
}

TEST_CASE("links that a placement uses have ranges; of a placement that was not proved nothing is said") {
  CostTable costs;
  costs.components = {{"host", 1, {}, {}}, {"cpu:0", 1, {}, {}}, {"fpga:0", 1, {}, {}}};
  costs.links.assign(9, {1'000, 0, true});
  for (std::size_t l = 0; l < 3; ++l) costs.links[l * 3 + l] = {};
  costs.stages.assign(4, {{0, kNowhere_ps, kNowhere_ps}, kPerMillion, {}});
  costs.stages[2].time_ps = {kNowhere_ps, 10'000, kNowhere_ps};
  costs.stages[3].time_ps = {kNowhere_ps, 10'000, 5'000};
  costs.edges = {{0, 2, kPerMillion, 0}, {2, 3, kPerMillion, 0}, {3, 1, kPerMillion, 0}};
  mark_calls(costs);
  const Certificate certificate = *certificate_of(costs);
  REQUIRE(certificate.placement == assign::Placement{0, 0, 1, 2});
  const auto reasons = explain_placement(plan_of(costs, certificate), std::chrono::seconds(60));
  REQUIRE(reasons.ok());
  REQUIRE(reasons->links.size() == 3);
  const LinkReason& between = reasons->links.back();
  REQUIRE((between.from == 1 && between.to == 2));
  REQUIRE(between.latency.most > 4.9);  // 5 ns less of the stage for 1 ns of latency
  REQUIRE(between.latency.most < 5.05);
  REQUIRE(between.latency.least == 0);
  Certificate guess = certificate;
  guess.status = "heuristic", guess.bound_ps = 0, guess.leaves.clear();
  REQUIRE(explain_placement(plan_of(costs, guess), std::chrono::seconds(1)).status().code() == Code::kUnsupported);
  guess.placement.clear();
  CertifiedPlan broken = plan_of(costs, certificate);
  broken.certificate = guess;
  REQUIRE(explain_placement(broken, std::chrono::seconds(1)).status().code() == Code::kInvalid);
}

}  // namespace woa::test
