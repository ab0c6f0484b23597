// Relays on every controller, with several readers and behind one another: a tree like those between sites, run within
// one.
#include "runtime/call_models/fan_out.h"
#include "tests/cts/controller/in_one_process.h"
#include "tests/support/branching.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kMostBytes = 5000;

Plan as_tree(const Plan& plan) {
  Plan tree = fan_out_by_tree(plan, apart(plan, 64), FanOut::kTree);
  REQUIRE(tree.stages.size() > plan.stages.size());
  return tree;
}

std::string of_any_length(std::uint64_t instance, std::uint32_t) {
  return std::string(instance * 131 % kMostBytes, static_cast<char>('a' + instance % 26));
}

}  // namespace

TEST_CASE("a tree brings every reader what the writer wrote, uncopied, at as many messages") {
  for (const std::uint32_t readers : {3U, 4U, 7U, 12U}) {
    const Plan plan = branching(readers, kMostBytes + 10);
    const Outcome outcome = run(as_tree(plan), "woa", 100, of_any_length);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == 100);
    for (const auto& [instance, outputs] : outcome.outputs) {
      for (std::uint32_t k = 0; k < readers; ++k)
        REQUIRE(outputs[k] == of_any_length(instance, 0) + "s" + std::to_string(k));
    }
    REQUIRE(outcome.messages() == run(plan, "woa", 100, of_any_length).messages());
    for (const EdgeStats& edge : outcome.report.edges) REQUIRE(edge.copied_bytes == 0);
  }
}

TEST_CASE("a tree at exactly b(e) blocks and any window never deadlocks") {
  Plan plan = branching(7, kMostBytes, "jitter");
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  for (const std::uint32_t window : {1U, 3U, 64U}) {
    plan.window = window;
    const Outcome outcome = run(as_tree(plan), "woa", 100, of_any_length);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == 100);
  }
}

TEST_CASE("poison passes a tree and frees what was on its way") {
  // The relays stand behind a stage that fails; one of their readers fails at other instances.
  Plan plan = branching(7, kMostBytes);
  const auto first = static_cast<std::uint32_t>(plan.stages.size());
  plan.stages.push_back(plan.stages[2]);
  plan.stages[first].name = "first";
  plan.stages[first].kernel = "fail_3";
  plan.stages[4].kernel = "fail_4";
  for (EdgePlan& edge : plan.edges) {
    if (edge.from_stage == kSourceStage) edge.from_stage = first;
    edge.blocks = edge.min_blocks;
  }
  plan.edges.push_back({kSourceStage, 0, first, 0, ~std::uint64_t{0}, 0, -1, 1, 1});
  Functions kernels = functions();
  kernels["fail_4"] = [](Firing& f, const StagePlan&) {
    if (read(f, 0) == "4") f.code = Code::kKernelFailed;
    write(f, 0, read(f, 0));
  };
  const Outcome outcome = run(
      as_tree(plan), "woa", 200, [](std::uint64_t i, std::uint32_t) { return std::to_string(i % 5); }, kernels);
  REQUIRE(outcome.status.ok());
  REQUIRE(outcome.outputs.size() == 120);
  REQUIRE(outcome.failures.size() == 80);
  for (const auto& [instance, failure] : outcome.failures)
    REQUIRE(failure.stage == (instance % 5 == 3 ? "first" : plan.stages[4].name));
}

}  // namespace woa::test
