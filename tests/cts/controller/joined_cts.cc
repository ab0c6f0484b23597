// Devices that join stages: whole runs on function kernels that play such devices (EdgePlan::on_card).
#include <algorithm>
#include <set>

#include "tests/cts/controller/in_one_process.h"
#include "tests/support/chain_plan.h"
#include "tests/support/joining_backend.h"

namespace woa::test {
namespace {

Functions joining_kernels() {
  Functions all = functions();
  // The stage of the instance's number modulo 8 fails: a, b, c, ...; of others all run.
  all["refuse_own"] = [](Firing& f, const StagePlan& stage) {
    if (f.instance % 8 != static_cast<std::uint64_t>(stage.name[0] - 'a')) return write(f, 0, read(f, 0) + stage.name);
    f.code = Code::kKernelFailed;
    f.message = "stage " + stage.name + " refuses";
  };
  return all;
}

Outcome run_joining(const Plan& plan, std::uint64_t instances, JoiningScript& script, RunOptions options = {}) {
  const Functions functions = joining_kernels();
  BackendRegistry backends;
  REQUIRE(backends.add(joining_factory(functions, script)).ok());
  LoopbackTransport transport;
  options.backends = &backends;
  options.transport = &transport;
  return run_plan(plan, options, instances, number);
}

std::size_t on_card(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(plan.edges, &EdgePlan::on_card));
}

std::uint64_t firings(const Outcome& outcome, std::uint32_t stage) {
  return outcome.report.controllers[outcome.plan.stages[stage].controller].stats.stages[stage].firings;
}

Plan one_card(std::uint32_t stages, const std::string& kernel = "append") {
  return with_joining(chain_plan(stages, kernel, 1));
}

}  // namespace

TEST_CASE("a chain on a card runs as one, and gives what its stages give by themselves") {
  for (const std::size_t places : {1U, 2U, 8U}) {
    for (const bool join : {false, true}) {
      JoiningScript script{.places = places, .answers = places};
      const Plan plan = with_joining(chain_plan(5, "append", 1), join);
      REQUIRE(on_card(plan) == (join ? 4 : 0));
      const Outcome outcome = run_joining(plan, 30, script);
      INFO(places << join << outcome.status.message());
      REQUIRE(outcome.status.ok());
      require_outputs(outcome, 30, [&](std::uint64_t i) { return std::to_string(i) + "abcde"; });
      CHECK(script.starts == (join ? 30 : 150));
      for (std::uint32_t s = kSinkStage + 1; s < plan.stages.size(); ++s) CHECK(firings(outcome, s) == 30);
    }
  }
}

TEST_CASE("as many chains are under way as instances") {
  JoiningScript script{.places = kBuilderWindow, .patience = 1'000'000};
  const Outcome outcome = run_joining(one_card(3), kBuilderWindow, script);
  REQUIRE(outcome.status.ok());
  CHECK(outcome.outputs.size() == kBuilderWindow);
  CHECK(script.most == kBuilderWindow);
}

TEST_CASE("several chains on several cards, with stages between them that are joined to nothing") {
  const Plan plan = with_joining(chain_on({"cpu:0", "cpu:0", "cpu:1", "cpu:0", "cpu:1", "cpu:1", "cpu:1"}, "append"));
  REQUIRE(on_card(plan) == 3);
  JoiningScript script;
  const Outcome outcome = run_joining(plan, 50, script);
  REQUIRE(outcome.status.ok());
  require_outputs(outcome, 50, [&](std::uint64_t i) { return std::to_string(i) + "abcdefg"; });
}

TEST_CASE("the first of a chain has more inputs, and the last more outputs and readers") {
  PlanBuilder builder(2, 3);
  const auto a = builder.stage("a", "join", "cpu:0", 2), b = builder.stage("b", "append", "cpu:0"),
             c = builder.stage("c", "append", "cpu:0"), d = builder.stage("d", "append", "cpu:1");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(kSourceStage, 1, a, 1);
  builder.edge(a, 0, b, 0);
  builder.edge(b, 0, c, 0);
  builder.edge(c, 0, kSinkStage, 0);
  builder.edge(c, 0, kSinkStage, 1).lane = "other";
  builder.edge(c, 0, d, 0);
  builder.edge(d, 0, kSinkStage, 2);
  const Plan plan = with_joining(builder.build());
  REQUIRE(on_card(plan) == 2);
  JoiningScript script{.places = 3, .answers = 2};
  const Outcome outcome = run_joining(plan, 40, script);
  REQUIRE(outcome.status.ok());
  require_outputs(outcome, 40, [&](std::uint64_t i) {
    const std::string c_wrote = std::to_string(i) + "+" + std::to_string(i) + "bc";
    return std::vector{c_wrote, c_wrote, c_wrote + "d"};
  });
}

TEST_CASE("whichever stage of a chain fails, it alone is to blame, and those behind it did not run") {
  const Plan plan = one_card(4, "refuse_own");
  for (const std::size_t places : {1U, 4U}) {
    JoiningScript script{.places = places, .answers = 2};
    const Outcome outcome = run_joining(plan, 80, script);
    INFO(places << outcome.status.message());
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.failures.size() == 40);
    require_outputs(outcome, 40, [&](std::uint64_t i) { return std::to_string(i) + "abcd"; });
    for (const auto& [i, failure] : outcome.failures) {
      const std::string stage(1, static_cast<char>('a' + i % 8));
      REQUIRE(failure.stage == stage);
      REQUIRE(failure.code == Code::kKernelFailed);
      REQUIRE(failure.message == "stage " + stage + " refuses");
    }
    for (std::uint32_t k = 0; k < 4; ++k)  // a runs in all, d not where a, b or c failed
      CHECK(firings(outcome, kSinkStage + 1 + k) == 80 - 10 * k);
  }
}

TEST_CASE("poison that comes to a chain goes through it") {
  Plan plan = with_joining(chain_on({"cpu:1", "cpu:0", "cpu:0", "cpu:0", "cpu:1"}, "append"));
  plan.stages[2].kernel = "fail_3";
  REQUIRE(on_card(plan) == 2);
  JoiningScript script;
  const Outcome outcome = run_joining(plan, 12, script);
  REQUIRE(outcome.status.ok());
  REQUIRE(outcome.failures.size() == 1);
  CHECK(outcome.failures.at(3).stage == "a");
  CHECK(outcome.failures.at(3).message == "three is refused");
  CHECK(script.poisons == 2);  // to the chain, and to e
  for (std::uint32_t s = 3; s < 7; ++s) CHECK(firings(outcome, s) == 11);
}

TEST_CASE("an instance whose deadline has passed does not start on a card") {
  Plan plan = with_joining(chain_on({"cpu:1", "cpu:0", "cpu:0"}, "append"));
  plan.stages[2].kernel = "slow";
  plan.timeout_ns = 1'000'000;
  JoiningScript script;
  const Outcome outcome = run_joining(plan, 8, script);
  REQUIRE(outcome.status.ok());
  REQUIRE(outcome.failures.size() == 8);
  for (const auto& [i, failure] : outcome.failures) CHECK(failure.code == Code::kDeadlineExceeded);
  CHECK(firings(outcome, 3) == 0);
  CHECK(firings(outcome, 4) == 0);
}

TEST_CASE("a trace has a firing of each stage, and a write on each edge of the card") {
  const Plan plan = one_card(3, "refuse_own");
  JoiningScript script;
  RunOptions options;
  options.trace_limit = 10'000;
  const Outcome outcome = run_joining(plan, 8, script, options);  // 0, 1 and 2 fail
  REQUIRE(outcome.status.ok());
  std::map<std::uint32_t, std::size_t> fired, writes;
  for (const TraceEvent& event : outcome.report.controllers[1].trace) {
    if (event.kind == TraceEvent::Kind::kFiring) {
      ++fired[event.stage];
      REQUIRE(event.cycles == 10 + event.stage - 2);
    }
    if (event.kind != TraceEvent::Kind::kWrite) continue;
    ++writes[event.edge];
    CHECK(event.stage == plan.edges[event.edge].from_stage);
    CHECK(event.bytes == 1 + event.edge);  // the number, and a letter of each stage before
  }
  CHECK(fired == std::map<std::uint32_t, std::size_t>{{2, 8}, {3, 7}, {4, 6}});
  CHECK(writes == std::map<std::uint32_t, std::size_t>{{1, 7}, {2, 6}, {3, 5}});
  CHECK(outcome.report.edges[1].messages == 0);
}

TEST_CASE("a small window, many instances") {
  for (const std::uint32_t window : {1U, 2U, 16U}) {
    Plan plan = chain_plan(6, "refuse_own", 1);
    plan.window = window;
    for (EdgePlan& edge : plan.edges) edge.min_blocks = 1, edge.blocks = window;
    plan = with_joining(plan);
    REQUIRE(on_card(plan) == 5);
    JoiningScript script{.places = 3, .answers = 3};
    const Outcome outcome = run_joining(plan, 400, script);
    REQUIRE(outcome.status.ok());
    CHECK(outcome.outputs.size() == 100);
    CHECK(outcome.failures.size() == 300);
    CHECK(script.most <= window);
  }
}

}  // namespace woa::test
