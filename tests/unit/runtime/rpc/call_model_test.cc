// Call models as rewrites: the messages of a token are those of the table in the design, edge by edge, whatever the
// placement, and nothing else about the plan changes.
#include "runtime/rpc/call_model.h"

#include <random>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/plan_builder.h"

namespace woa::test {
namespace {

// A chain whose stages are where `at` says: cpu:0, cpu:1, ...
Plan chain_at(const std::vector<std::uint32_t>& at) {
  PlanBuilder builder(1, 1);
  std::uint32_t last = kSourceStage;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const std::uint32_t next = builder.stage("s" + std::to_string(k), "copy", "cpu:" + std::to_string(at[k]));
    builder.edge(last, 0, next, 0);
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0);
  return builder.build();
}

std::uint64_t messages(const Plan& plan) {
  std::uint64_t count = 0;
  for (const EdgePlan& edge : plan.edges)
    count += plan.stages[edge.from_stage].controller != plan.stages[edge.to_stage].controller;
  return count;
}

std::uint64_t expected(const Plan& plan, std::string_view model) {
  std::uint64_t count = 0;
  for (const EdgePlan& edge : plan.edges) {
    const std::uint32_t a = plan.stages[edge.from_stage].controller, b = plan.stages[edge.to_stage].controller;
    const std::uint64_t by_host = (a != kHostController) + (b != kHostController);
    if (model == "woa") count += a != b;
    if (model == "rpc-hub") count += by_host;
    if (model == "rpc-fused") count += a == b ? 0 : by_host;
  }
  return count;
}

}  // namespace

TEST_CASE("messages are those of the table, whatever the placement") {
  std::mt19937 random(1);
  for (int times = 0; times < 200; ++times) {
    std::vector<std::uint32_t> at(1 + random() % 8);
    for (std::uint32_t& controller : at) controller = static_cast<std::uint32_t>(random() % 3);
    const Plan plan = chain_at(at);
    std::uint64_t before = 0;
    for (const std::string_view model : kCallModels) {  // in the order in which they send more
      const auto calls = rewrite(plan, model);
      REQUIRE(calls.ok());
      REQUIRE(calls->model == model);
      REQUIRE(messages(*calls) == expected(plan, model));
      REQUIRE(messages(*calls) >= before);
      before = messages(*calls);
      for (std::size_t s = 0; s < plan.stages.size(); ++s) REQUIRE(calls->stages[s] == plan.stages[s]);
      for (std::size_t s = plan.stages.size(); s < calls->stages.size(); ++s) {
        REQUIRE(calls->stages[s].role == StageRole::kRelay);
        REQUIRE(calls->stages[s].controller == kHostController);
      }
    }
  }
}

TEST_CASE("a region of one controller is one call") {
  const Plan plan = chain_at({0, 0, 0, 1, 1, 0});
  REQUIRE(messages(*rewrite(plan, "woa")) == 4);
  REQUIRE(messages(*rewrite(plan, "rpc-fused")) == 6);
  REQUIRE(messages(*rewrite(plan, "rpc-hub")) == 12);
}

TEST_CASE("what is no call model, and a plan that has one already") {
  const Plan plan = chain_at({0, 1});
  REQUIRE(rewrite(plan, "rpc").status().code() == Code::kNotFound);
  REQUIRE(rewrite(plan, "rpc").status().message().find("woa, rpc-fused, rpc-hub") != std::string::npos);
  const Plan hub = *rewrite(plan, "rpc-hub");
  REQUIRE(*rewrite(hub, "rpc-hub") == hub);
  REQUIRE(rewrite(hub, "rpc-fused").status().code() == Code::kInvalid);
}

}  // namespace woa::test
