// Rule 2: an optional output that stays unwritten sends an absent token, which travels, is matched, held, passed on and
// freed as any other.
#include "runtime/call_models/fan_out.h"
#include "tests/cts/controller/in_one_process.h"
#include "tests/support/branching.h"
#include "tests/support/plan_builder.h"

namespace woa::test {
namespace {

void make_optional(Plan& plan, std::uint32_t stage) {
  plan.stages[stage].outputs[0].optional = true;
  for (const EdgePlan& edge : plan.edges) {
    if (edge.from_stage == stage && edge.from_port == 0)
      plan.stages[edge.to_stage].inputs[edge.to_port].optional = true;
  }
}

// source -> maybe -> { or_none -> out0, out1 }
Plan optional_plan(bool one_controller = false) {
  PlanBuilder builder(1, 2);
  const auto maybe = builder.stage("maybe", "if_even", "cpu:0"),
             or_none = builder.stage("or_none", "or_none", one_controller ? "cpu:0" : "cpu:1");
  builder.edge(kSourceStage, 0, maybe, 0);
  builder.edge(maybe, 0, or_none, 0);
  builder.edge(or_none, 0, kSinkStage, 0);
  builder.edge(maybe, 0, kSinkStage, 1);
  make_optional(builder.raw(), maybe);
  return builder.build();
}

void check(const Outcome& outcome, std::uint64_t instances) {
  REQUIRE(outcome.status.ok());
  REQUIRE(outcome.outputs.size() == instances);
  for (const auto& [i, outputs] : outcome.outputs) {
    REQUIRE(outputs[0] == (i % 2 == 0 ? std::to_string(i) : "none"));
    REQUIRE(outputs[1] == (i % 2 == 0 ? std::to_string(i) : ""));
    REQUIRE(outcome.absent.at(i) == std::vector<bool>{false, i % 2 != 0});
  }
}

}  // namespace

TEST_CASE("an optional output that is not written is absent at every reader, and costs one message as ever") {
  for (const char* model : {"woa", "rpc-hub"}) {
    for (const bool one_controller : {false, true}) {
      INFO(model << one_controller);
      Plan plan = optional_plan(one_controller);
      check(run(plan, model, 200), 200);
      for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks, edge.inline_bytes = 0;
      const Outcome outcome = run(plan, model, 200);
      check(outcome, 200);
      if (std::string(model) == "woa") REQUIRE(outcome.messages() == 200 * (one_controller ? 3 : 4));
    }
  }
}

TEST_CASE("an absent token is not an empty one") {
  PlanBuilder builder(1, 2);
  const auto maybe = builder.stage("maybe", "write_nothing", "cpu:0"), look = builder.stage("look", "or_none", "cpu:1");
  builder.edge(kSourceStage, 0, maybe, 0);
  builder.edge(maybe, 0, look, 0);
  builder.edge(look, 0, kSinkStage, 0);
  builder.edge(maybe, 0, kSinkStage, 1);
  make_optional(builder.raw(), maybe);
  Functions kernels = functions();
  kernels["write_nothing"] = [](Firing& f, const StagePlan&) {
    if (f.instance % 2 == 0) write(f, 0, "");
  };
  const Outcome outcome = run(builder.build(), "woa", 50, number, kernels);
  for (const auto& [i, outputs] : outcome.outputs) {
    REQUIRE(outputs == std::vector<std::string>{i % 2 == 0 ? "" : "none", ""});
    REQUIRE(outcome.absent.at(i) == std::vector<bool>{false, i % 2 != 0});
  }
}

TEST_CASE("an absent token may be held, and is absent in every turn") {
  // A counter goes round until 0; each turn appends "none" or what is held.
  Functions kernels = functions();
  kernels["turn"] = [](Firing& f, const StagePlan&) {
    const std::string text = read(f, 0) + (f.inputs[1].absent ? "-" : read(f, 1));
    write(f, text.size() < 12 ? 0 : 1, text);
  };
  PlanBuilder builder(2, 1);
  const auto maybe = builder.stage("maybe", "if_even", "cpu:0"), turn = builder.stage("turn", "turn", "cpu:1", 2, 2);
  builder.raw().stages[turn].outputs[0].one_of = builder.raw().stages[turn].outputs[1].one_of = 0;
  builder.raw().stages[turn].inputs[1].hold = true;
  builder.raw().loops.push_back({"turn", 0, 8, 20});
  builder.edge(kSourceStage, 1, maybe, 0).keep = 0;
  builder.edge(kSourceStage, 0, turn, 0).keep = 0;
  builder.edge(maybe, 0, turn, 1).keep = 0;
  builder.edge(turn, 1, kSinkStage, 0).keep = 0;
  EdgePlan& back = builder.edge(turn, 0, turn, 0, 2);
  back.step = 1, back.loop = 0;
  make_optional(builder.raw(), maybe);
  for (const char* model : {"woa", "rpc-hub"}) {
    const Outcome outcome = run(
        builder.build(), model, 40,
        [](std::uint64_t i, std::uint32_t port) { return port == 0 ? std::string() : std::to_string(i % 2); }, kernels);
    require_outputs(outcome, 40, [&](std::uint64_t i) { return std::string(12, i % 2 == 0 ? '0' : '-'); });
  }
}

TEST_CASE("what was to be written in place and is absent passes its block on all the same") {
  PlanBuilder builder(1, 1);
  const auto maybe = builder.stage("maybe", "if_even", "cpu:0"), after = builder.stage("after", "or_none", "cpu:1");
  builder.edge(kSourceStage, 0, maybe, 0);
  builder.edge(maybe, 0, after, 0);
  builder.edge(after, 0, kSinkStage, 0);
  make_optional(builder.raw(), maybe);
  Plan plan = builder.build();
  plan.stages[maybe].outputs[0].in_place = 0;
  for (EdgePlan& edge : plan.edges) edge.keep = 0, edge.blocks = edge.min_blocks;
  for (const char* model : {"woa", "rpc-hub"}) {
    const Outcome outcome = run(plan, model, 200);
    require_outputs(outcome, 200, [&](std::uint64_t i) { return (i % 2 == 0 ? std::to_string(i) : "none"); });
  }
}

TEST_CASE("an absent token goes through a tree of relays to every reader") {
  Plan plan = branching(7, 1024, "or_none");
  const auto first = static_cast<std::uint32_t>(plan.stages.size());
  plan.stages.push_back(plan.stages[2]);
  plan.stages[first].name = "first";
  plan.stages[first].kernel = "if_even";
  for (EdgePlan& edge : plan.edges) {
    if (edge.from_stage == kSourceStage) edge.from_stage = first;
  }
  plan.edges.push_back({kSourceStage, 0, first, 0, 0, 0, -1, 1, 4});
  make_optional(plan, first);
  const Plan tree = fan_out_by_tree(plan, apart(plan, 64), FanOut::kTree);
  REQUIRE(tree.stages.size() > plan.stages.size());
  REQUIRE(validate(tree).message() == "");
  const Outcome outcome = run(tree, "woa", 60);
  REQUIRE(outcome.outputs.size() == 60);
  for (const auto& [i, outputs] : outcome.outputs) {
    for (const std::string& output : outputs) REQUIRE(output == (i % 2 == 0 ? std::to_string(i) : "none"));
  }
}

TEST_CASE("a stage that fails poisons its optional outputs, too: absence is no failure, and failure no absence") {
  Plan plan = optional_plan();
  plan.stages[2].kernel = "fail_3";  // which writes whatever is not 3
  for (const char* model : {"woa", "rpc-hub"}) {
    const Outcome outcome = run(plan, model, 10);
    REQUIRE(outcome.outputs.size() == 9);
    REQUIRE(outcome.failures.size() == 1);
    REQUIRE(outcome.failures.at(3).stage == "maybe");
  }
}

}  // namespace woa::test
