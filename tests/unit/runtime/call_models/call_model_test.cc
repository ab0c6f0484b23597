// Call models as rewrites: the messages of a token are those of the table in the design, edge by edge, whatever the
// placement, and nothing else about the plan changes.
#include "runtime/call_models/call_model.h"

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
    if (model == "rpc-nested" && edge.to_stage != kSinkStage) count += a == b ? 0 : 2;
    if (model == "rpc-polled") count += by_host + (a != kHostController);
  }
  for (const StagePlan& stage : plan.stages)
    count += model == "rpc-polled" && stage.controller != kHostController ? 2 : 0;
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
      if (model != "rpc-nested") {  // whose outputs ride on returns
        REQUIRE(messages(*calls) >= before);
        before = messages(*calls);
      }
      for (std::size_t s = 0; s < plan.stages.size(); ++s) REQUIRE(calls->stages[s] == plan.stages[s]);
      for (std::size_t s = plan.stages.size(); s < calls->stages.size(); ++s) {
        REQUIRE(calls->stages[s].role == StageRole::kRelay);
        if (model == "rpc-fused" || model == "rpc-hub") REQUIRE(calls->stages[s].controller == kHostController);
      }
    }
  }
}

TEST_CASE("a region of one controller is one call") {
  const Plan plan = chain_at({0, 0, 0, 1, 1, 0});
  REQUIRE(messages(*rewrite(plan, "woa")) == 4);
  REQUIRE(messages(*rewrite(plan, "rpc-fused")) == 6);
  REQUIRE(messages(*rewrite(plan, "rpc-hub")) == 12);
  REQUIRE(messages(*rewrite(plan, "rpc-nested")) == 6);
  REQUIRE(messages(*rewrite(plan, "rpc-polled")) == 30);
}

TEST_CASE("a join answers all its callers, and of several outputs each further one is a packet") {
  PlanBuilder builder(1, 2);
  const std::uint32_t a = builder.stage("a", "copy", "cpu:0"), b = builder.stage("b", "copy", "cpu:1");
  const std::uint32_t join = builder.stage("join", "join", "cpu:2", 2, 2);
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(kSourceStage, 0, b, 0);
  builder.edge(a, 0, join, 0);
  builder.edge(b, 0, join, 1);
  builder.edge(join, 0, kSinkStage, 0);
  builder.edge(join, 1, kSinkStage, 1);
  const Plan plan = builder.build();
  REQUIRE(messages(*rewrite(plan, "rpc-nested")) == 2 * 4 + 2);  // a second output, by way of a
  REQUIRE(messages(*rewrite(plan, "rpc-polled")) == expected(plan, "rpc-polled"));
}

TEST_CASE("what a call model cannot do is refused with the stage and the reason") {
  const auto refusal = [](const Plan& plan, std::string_view model) {
    const auto calls = rewrite(plan, model);
    REQUIRE(calls.status().code() == Code::kUnsupported);
    return calls.status().message();
  };
  Plan choice = chain_at({0, 1});
  choice.stages[2].outputs[0].one_of = 0;
  choice.stages[2].outputs.push_back(choice.stages[2].outputs[0]);
  choice.stages[2].outputs[1].name = "other";
  choice.edges.push_back(choice.edges[1]);
  choice.edges.back().from_port = 1;
  REQUIRE(refusal(choice, "rpc-nested").find("stage 's0' chooses among its outputs") != std::string::npos);
  REQUIRE(rewrite(choice, "rpc-polled").ok());
  choice.stages[2].outputs.push_back(choice.stages[2].outputs[0]);
  choice.stages[2].outputs[2].name = "another";
  choice.stages[2].outputs[2].one_of = 1;
  REQUIRE(refusal(choice, "rpc-polled").find("stage 's0' makes several choices at once") != std::string::npos);
  choice.stages[2].outputs[2].one_of = -1;
  choice.stages[2].outputs[2].many = 4;
  REQUIRE(refusal(choice, "rpc-polled").find("stage 's0' chooses and scatters at once") != std::string::npos);
  Plan lane = chain_at({0, 1});
  lane.edges[1].lane = "return";
  REQUIRE(refusal(lane, "rpc-nested").find("'return', which rpc-nested keeps for returns") != std::string::npos);
  REQUIRE(rewrite(lane, "rpc-hub").ok());
}

TEST_CASE("calls that nest too deep are refused, by name") {
  const auto deep = [](std::size_t stages) { return chain_at(std::vector<std::uint32_t>(stages, 0)); };
  REQUIRE(rewrite(deep(kMaxPassed - 1), "rpc-nested").ok());
  for (const std::size_t stages : {kMaxPassed, kMaxPassed + 1, 2 * kMaxPassed}) {
    const Status refused = rewrite(deep(stages), "rpc-nested").status();
    INFO(stages << ": " << refused.message());
    REQUIRE(refused.code() == Code::kUnsupported);
    REQUIRE(refused.message().find("rpc-nested has no way back there") != std::string::npos);
  }
}

TEST_CASE("what is no call model, and a plan that has one already") {
  const Plan plan = chain_at({0, 1});
  REQUIRE(rewrite(plan, "rpc").status().code() == Code::kNotFound);
  REQUIRE(rewrite(plan, "rpc").status().message().find("woa, rpc-fused, rpc-hub") != std::string::npos);
  const Plan hub = *rewrite(plan, "rpc-hub");
  REQUIRE(*rewrite(hub, "rpc-hub") == hub);
  REQUIRE(rewrite(hub, "rpc-fused").status().code() == Code::kInvalid);
  REQUIRE(rewrite(hub, "woa").status().code() == Code::kInvalid);
}

TEST_CASE("a plan that was compiled for one model, but has no relays, may get the routes of any") {
  const Plan plan = chain_at({0, 1});
  Plan for_hub = plan;
  for_hub.model = "rpc-hub";
  for (const std::string_view model : kCallModels) {
    INFO(model);
    REQUIRE(*rewrite(for_hub, model) == *rewrite(plan, model));
  }
}

}  // namespace woa::test
