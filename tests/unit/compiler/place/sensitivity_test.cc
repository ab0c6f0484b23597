// Reasons for a placement: within the safe range of a cost no placement is better, beyond it one is.
#include "compiler/place/sensitivity.h"

#include <rapidcheck.h>

#include "compiler/place/certify.h"
#include "compiler/place/placement_problem.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/assign/brute_force.h"
#include "tests/unit/compiler/place/any_table.h"

namespace woa::test {
namespace {

using assign::Sum;

Certificate certificate_of(const CostTable& costs) {
  const auto problem = placement_problem(costs, {});
  RC_ASSERT(problem.ok());
  const auto solution = assign::solve(*problem, {.limit = std::chrono::seconds(20)});
  RC_ASSERT(solution.ok());
  return certify({}, costs, *solution);
}

// Of all placements, against the one that is.
bool is_best(const CostTable& costs, const assign::Placement& placement) {
  const auto problem = placement_problem(costs, {});
  return assign::evaluate(*problem, placement).sum == *assign::test::brute_force(*problem);
}

CostTable with_time(CostTable costs, const StageReason& reason, double factor) {
  std::int64_t& time = costs.stages[reason.stage].time_ps[reason.components.front()];
  time = static_cast<std::int64_t>(static_cast<double>(time) * factor + 0.5);
  return costs;
}

}  // namespace

TEST_CASE("a stage's time may move within its range, and no further") {
  CHECK(rc::check([] {
    CostTable costs = any_table();
    for (StageCosts& stage : costs.stages)  // so large that rounding does not matter
      for (std::int64_t& time : stage.time_ps) time *= time > 0 ? 100'000 : 1;
    for (LinkCosts& link : costs.links) link.latency_ps *= 100'000;
    const Certificate certificate = certificate_of(costs);
    const auto reasons = explain_placement(plan_of(costs, certificate), std::chrono::seconds(60));
    RC_ASSERT(reasons.ok());
    RC_ASSERT(reasons->complete);
    RC_ASSERT(reasons->stages.size() == costs.stages.size() - 2);
    for (const StageReason& reason : reasons->stages) {
      RC_ASSERT(reason.time.least <= 1 && reason.time.most >= 1);
      for (const double factor : {reason.time.most, std::max(reason.time.least, 0.001)})
        RC_ASSERT(is_best(with_time(costs, reason, factor), certificate.placement));
      if (reason.time.most < SafeRange::kMostFactor)
        RC_ASSERT(!is_best(with_time(costs, reason, reason.time.most * 1.02), certificate.placement));
      if (reason.time.least > 0.001)
        RC_ASSERT(!is_best(with_time(costs, reason, reason.time.least / 1.02), certificate.placement));
    }
  }));
}

TEST_CASE("what a stage costs elsewhere is the least with it there") {
  CHECK(rc::check([] {
    const CostTable costs = any_table();
    const Certificate certificate = certificate_of(costs);
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

TEST_CASE("links that a placement uses have ranges; of a placement that was not proved nothing is said") {
  CostTable costs;
  costs.components = {{"host", 1, {}, {}}, {"cpu:0", 1, {}, {}}, {"fpga:0", 1, {}, {}}};
  costs.links.assign(9, {1'000, 0, true});
  for (std::size_t l = 0; l < 3; ++l) costs.links[l * 3 + l] = {};
  costs.stages.assign(4, {{0, kNowhere_ps, kNowhere_ps}, kPerMille, {}});
  costs.stages[2].time_ps = {kNowhere_ps, 10'000, kNowhere_ps};
  costs.stages[3].time_ps = {kNowhere_ps, 10'000, 5'000};
  costs.edges = {{0, 2, kPerMille, 0}, {2, 3, kPerMille, 0}, {3, 1, kPerMille, 0}};
  const Certificate certificate = certificate_of(costs);
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
  Plan broken = plan_of(costs, certificate);
  broken.certificate = guess;
  REQUIRE(explain_placement(broken, std::chrono::seconds(1)).status().code() == Code::kInvalid);
}

}  // namespace woa::test
