// Stages on several controllers at once: their placement costs the same as the graph with the copies written out, and
// no choice of places is better.
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/place/call_route.h"
#include "compiler/place/certify.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/cost_table.h"
#include "compiler/place/placement_problem.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/place/any_table.h"

namespace woa::test {
namespace {

using Places = std::vector<ComponentSet>;

PlacementGoal any_goal_with_copies() {
  PlacementGoal goal;
  goal.model = *rc::gen::elementOf(std::vector<std::string>(std::begin(kCallModels), std::end(kCallModels)));
  goal.objective = *rc::gen::element(std::string("latency"), std::string("throughput"));
  goal.copies = any(1, 3);
  if (*rc::gen::inRange(0, 4) == 0)
    (goal.objective == "latency" ? goal.most_period_ps : goal.most_latency_ps) = any(50, 400);
  return goal;
}

// Every set of components that a stage may be on.
std::vector<ComponentSet> sets_of(const CostTable& table, std::size_t stage, std::uint32_t copies) {
  const auto k = static_cast<std::uint32_t>(table.components.size());
  std::vector<ComponentSet> sets;
  for (std::uint32_t bits = 1; bits < 1U << k; ++bits) {
    ComponentSet set;
    for (std::uint32_t l = 0; l < k; ++l)
      if ((bits >> l & 1U) != 0) set.push_back(l);
    const bool may = stage <= kSink ? bits == 1 : std::ranges::all_of(set, [&](std::uint32_t l) {
      return table.stages[stage].time_ps[l] != kNowhere_ps;
    });
    if (may && set.size() <= (table.stages[stage].copyable ? copies : 1)) sets.push_back(std::move(set));
  }
  return sets;
}

// The value of the graph in which every copy is a stage.
assign::Value value_of(const CostTable& table, const PlacementGoal& goal, const Places& places) {
  const Placed placed = with_copies(table, NearestCopy(table, goal.model), places);
  const auto problem = placement_problem(placed.table, goal);
  RC_ASSERT(problem.ok());
  return assign::evaluate(*problem, placed.placement);
}

// The least value of all places; nothing: none keeps the limits.
std::optional<Sum> least_of_all(const CostTable& table, const PlacementGoal& goal) {
  std::vector<std::vector<ComponentSet>> choices;
  for (std::size_t s = 0; s < table.stages.size(); ++s) choices.push_back(sets_of(table, s, goal.copies));
  std::optional<Sum> least;
  std::vector<std::size_t> chosen(choices.size(), 0);
  for (bool more = true; more;) {
    Places places;
    for (std::size_t s = 0; s < choices.size(); ++s) places.push_back(choices[s][chosen[s]]);
    const assign::Value value = value_of(table, goal, places);
    if (value.feasible && (!least || value.objective < *least)) least = value.objective;
    more = false;
    for (std::size_t s = 0; s < choices.size() && !more; ++s) {
      more = ++chosen[s] < choices[s].size();
      if (!more) chosen[s] = 0;
    }
  }
  return least;
}

// Solves, and compares the result with every choice of places. Nothing: none keeps the limits.
std::optional<Certificate> check_placed(const CostTable& table, const PlacementGoal& goal) {
  const auto problem = copy_problem(table, goal);
  RC_ASSERT(problem.ok());
  const std::optional<Sum> least = least_of_all(table, goal);
  auto solution = assign::solve(problem->problem, {.limit = std::chrono::seconds(20)});
  RC_ASSERT(solution.ok() == least.has_value());
  if (!solution.ok()) return std::nullopt;
  const CostTable costs = write_out_copies(table, goal, *problem, *solution);
  Certificate certificate = certify(goal, costs, *solution);
  RC_ASSERT(verify_certificate(plan_of(costs, certificate)).message() == "");
  RC_ASSERT(Sum{certificate.value_ps} >= *least);
  RC_ASSERT(Sum{certificate.bound_ps} <= *least);
  if (certificate.status == "proved") RC_ASSERT(Sum{certificate.value_ps} == *least);
  for (std::size_t s = 1; s < costs.stages.size(); ++s) {
    if (costs.stages[s].copy == 0) continue;
    for (const std::size_t read : {s - 1, s})
      RC_ASSERT(std::ranges::any_of(costs.edges, [&](const EdgeCosts& edge) { return edge.from == read; }));
  }
  return certificate;
}

// Stage 2 is cheap anywhere; its readers are on two components, and a token between these takes longer than all else.
CostTable table_with_far_readers() {
  CostTable table;
  table.components = {{"host", 1, {}, {}}, {"cpu:0", 1, {}, {}}, {"cpu:1", 1, {}, {}}};
  for (std::uint32_t pair = 0; pair < 9; ++pair) table.links.push_back({any(0, 5), any(0, 500), true});
  for (const std::size_t own : {0, 4, 8}) table.links[own] = {0, 0, true};
  for (const std::size_t far : {1 * 3 + 2, 2 * 3 + 1}) table.links[far].latency_ps = any(1000, 2000);
  table.stages.assign(5, {{kNowhere_ps, 0, 0}, kPerMillion, {}});
  table.stages[0].time_ps = table.stages[1].time_ps = {0, kNowhere_ps, kNowhere_ps};
  for (std::int64_t& time : table.stages[2].time_ps) time = time == kNowhere_ps ? time : any(0, 50);
  table.stages[2].copyable = true;
  for (const std::size_t reader : {3, 4})
    table.stages[reader].time_ps[reader - 2] = any(0, 50), table.stages[reader].time_ps[5 - reader] = kNowhere_ps;
  table.edges = {{0, 2}, {2, 3}, {2, 4}, {3, 1}, {4, 1}};
  mark_calls(table);
  for (EdgeCosts& edge : table.edges) edge.bytes = any(0, 100);
  return table;
}

Places any_places(const CostTable& table, std::uint32_t copies) {
  Places places;
  for (std::size_t s = 0; s < table.stages.size(); ++s)
    places.push_back(*rc::gen::elementOf(sets_of(table, s, copies)));
  return places;
}

}  // namespace

TEST_CASE("what a placement with copies comes to is what the graph with them written out comes to") {
  CHECK(rc::check([] {
    const CostTable table = any_copyable_table(7);
    const PlacementGoal goal = any_goal_with_copies();
    const auto problem = copy_problem(table, goal);
    RC_ASSERT(problem.ok());
    const Places places = any_places(table, goal.copies);
    const auto placement = placement_on(*problem, places);
    RC_ASSERT(placement.has_value());
    const assign::Value value = assign::evaluate(problem->problem, *placement);
    const assign::Value expected = value_of(table, goal, places);
    RC_ASSERT(value.objective == expected.objective);
    RC_ASSERT(value.sum == expected.sum);
    RC_ASSERT(value.feasible == expected.feasible);
  }));
}

TEST_CASE("a table with copies tells which stages and edges they are of") {
  CHECK(rc::check([] {
    const CostTable table = any_copyable_table(7);
    const PlacementGoal goal = any_goal_with_copies();
    const Places places = any_places(table, goal.copies);
    const Placed placed = with_copies(table, NearestCopy(table, goal.model), places);
    const auto originals = without_copies(placed.table);
    RC_ASSERT(originals.ok());
    RC_ASSERT(originals->table == table);
    RC_ASSERT(places_of(*originals, placed.placement) == places);
    // Each edge once for each copy of its reader, from a copy of its writer.
    RC_ASSERT(originals->edge_of.size() == placed.table.edges.size());
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (std::size_t e = 0; e < placed.table.edges.size(); ++e) {
      const EdgeCosts& one = placed.table.edges[e];
      const EdgeCosts& edge = table.edges[originals->edge_of[e]];
      RC_ASSERT(originals->stage_of[one.from] == edge.from);
      RC_ASSERT(originals->stage_of[one.to] == edge.to);
      RC_ASSERT(seen.emplace(originals->edge_of[e], one.to).second);
    }
  }));
}

TEST_CASE("a reader takes from the copy that a KiB is quickest from, its own controller's before others") {
  CHECK(rc::check([] {
    const CostTable table = any_copyable_table(3);
    const auto k = static_cast<std::uint32_t>(table.components.size());
    const NearestCopy nearest(table, "woa");
    const ComponentSet set = *rc::gen::elementOf(sets_of(table, 2, k));
    const std::uint32_t reader = any(0, k - 1), chosen = nearest.of(set, reader);
    const auto time = [&](std::uint32_t from) {
      return from == reader ? 0 : table.links[from * k + reader].latency_ps + table.links[from * k + reader].ps_per_kib;
    };
    RC_ASSERT(std::ranges::find(set, chosen) != set.end());
    for (const std::uint32_t other : set) RC_ASSERT(time(chosen) <= time(other));
    if (std::ranges::find(set, reader) != set.end()) RC_ASSERT(chosen == reader);
  }));
}

TEST_CASE("no choice of places is better than one that is proved, and its certificate is true") {
  std::uint64_t proved = 0;
  CHECK(rc::check([&] {
    const std::optional<Certificate> certificate = check_placed(any_copyable_table(5), any_goal_with_copies());
    if (certificate && certificate->status == "proved") ++proved;
  }));
  CHECK(proved > 0);
}

TEST_CASE("where readers are far from each other and the host is near, a cheap stage has copies") {
  CHECK(rc::check([] {
    const CostTable table = table_with_far_readers();
    const std::optional<Certificate> certificate = check_placed(table, {.copies = any(2, 3)});
    RC_ASSERT(certificate.has_value());
    RC_ASSERT(certificate->status == "proved");
    RC_ASSERT(certificate->costs.stages.size() == table.stages.size() + 1);
    RC_ASSERT(certificate->costs.stages[3].copy == 1);
    const std::optional<Certificate> once = check_placed(table, {});
    RC_ASSERT(once.has_value());
    RC_ASSERT(certificate->value_ps < once->value_ps);
  }));
}

TEST_CASE("copies that are not alike, in loops, or more than were allowed are found out") {
  CostTable table;
  table.components = {{"host", 1, {}, {}}, {"cpu:0", 1, {}, {}}, {"cpu:1", 1, {}, {}}};
  table.links.assign(9, {1000, 0, true});
  for (const std::size_t own : {0, 4, 8}) table.links[own] = {0, 0, true};
  table.links[1 * 3 + 2] = table.links[2 * 3 + 1] = {900'000, 0, true};  // far from each other
  table.stages.assign(5, {{kNowhere_ps, 10, 10}, kPerMillion, {}});
  table.stages[0].time_ps = table.stages[1].time_ps = {0, kNowhere_ps, kNowhere_ps};
  table.stages[3].time_ps[2] = table.stages[4].time_ps[1] = kNowhere_ps;
  table.stages[2].copyable = true;
  table.edges = {{0, 2}, {2, 3}, {2, 4}, {3, 1}, {4, 1}};
  mark_calls(table);
  const PlacementGoal goal{.copies = 2};
  const auto problem = copy_problem(table, goal);
  REQUIRE(problem.ok());
  auto solution = assign::solve(problem->problem);
  REQUIRE(solution.ok());
  const CostTable costs = write_out_copies(table, goal, *problem, *solution);
  const CertifiedPlan plan = plan_of(costs, certify(goal, costs, *solution));
  REQUIRE(verify_certificate(plan).message() == "");
  REQUIRE(costs.stages.size() == 6);  // stage 2 twice
  CHECK(plan.certificate->placement == std::vector<std::uint32_t>{0, 0, 1, 2, 1, 2});
  CHECK(plan.certificate->value_ps == 4 * 10 + 4 * 1000);
  CHECK(plan.certificate->status == "proved");

  const auto refused = [&](const CertifiedPlan& changed, const std::string& why) {
    const Status status = verify_certificate(changed);
    CAPTURE(status.message());
    CHECK(status.message().find(why) != std::string::npos);
  };
  CertifiedPlan once = plan;
  once.certificate->goal.copies = 1;
  refused(once, "where there may not be so many");
  CertifiedPlan other = plan;
  other.stages[3].kernel = "another";
  refused(other, "is no copy of");
  CertifiedPlan choosing = plan;
  choosing.stages[2].outputs.push_back({"out", {}, 0});
  refused(choosing, "cannot have copies");
  CertifiedPlan far = plan;  // the readers take from each other's copy
  std::swap(far.edges[2].from_stage, far.edges[3].from_stage);
  std::swap(far.certificate->costs.edges[2].from, far.certificate->costs.edges[3].from);
  far.certificate->costs_hash = hash_of(far.certificate->costs);
  refused(far, "from a copy that is not the nearest");
  CostTable loop = table;
  loop.edges.push_back({3, 2});
  CHECK(copy_problem(loop, goal).status().message().find("in a loop") != std::string::npos);
  const std::vector<std::string> names{"source", "sink", "one", "left", "right"};
  CHECK(copy_problem(loop, goal, names).status().message().find("'one'") != std::string::npos);
  const auto late = copy_problem(table, {.objective = "throughput", .most_latency_ps = 1, .copies = 2});
  REQUIRE(late.ok());
  CHECK(assign::evaluate(late->problem, *placement_on(*late, {{0}, {0}, {1}, {1}, {2}})).broken == "the latency");
  CHECK(copy_problem(table, {.copies = 0}).status().code() == Code::kInvalid);
  CHECK(copy_problem(table, {.copies = kMostCopies + 1}).status().code() == Code::kInvalid);
}

TEST_CASE("a copy that reads by another port than the first is found out") {
  CHECK(rc::check([] {
    PlacementGoal goal;
    goal.copies = 2;
    const auto certificate = check_placed(table_with_far_readers(), goal);
    RC_ASSERT(certificate.has_value());
    CertifiedPlan plan = plan_of(certificate->costs, *certificate);
    const auto to_copy = std::ranges::find_if(
        plan.edges, [&](const EdgePlan& edge) { return certificate->costs.stages[edge.to_stage].copy != 0; });
    RC_ASSERT(to_copy != plan.edges.end());
    to_copy->to_port = 1;
    RC_ASSERT(verify_certificate(plan).message().find("carries something else") != std::string::npos);
  }));
}

}  // namespace woa::test
