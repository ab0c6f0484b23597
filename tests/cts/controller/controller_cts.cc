// Rules of docs/graph-language.md that every controller follows, whatever its device, on function kernels in one
// process. With WOA_CTS_THREADS in the environment the kernels run on threads, several at once.
#include <atomic>
#include <mutex>

#include "tests/cts/controller/in_one_process.h"
#include "tests/support/chain_plan.h"
#include "tests/support/loop_plans.h"
#include "tests/support/plan_builder.h"

namespace woa::test {
namespace {

// A chain whose stages write over their inputs, and pass them on.
Plan passing_chain(std::uint32_t stages) {
  Plan plan = chain_plan(stages, "next", 2);
  for (EdgePlan& edge : plan.edges) edge.keep = 0;
  for (StagePlan& stage : plan.stages) {
    if (stage.role == StageRole::kKernel) stage.outputs[0].in_place = 0;
  }
  return plan;
}

// `next` adds one to every byte of its input, in place; it refuses an odd instance at stage c.
struct Nexts {
  std::atomic<std::uint64_t> in_place = 0;
  Functions kernels{{"next", [this](Firing& f, const StagePlan& stage) {
                       const woa_input& input = f.inputs[0];
                       woa_output& output = f.outputs[0];
                       if (input.data == output.data) ++in_place;
                       for (std::size_t k = 0; k < input.bytes; ++k)
                         output.data[k] = static_cast<std::uint8_t>(input.data[k] + 1);
                       output.bytes = input.bytes;
                       output.written = 1;
                       if (stage.name == "c" && f.instance % 2 == 1) f.code = Code::kKernelFailed;
                     }}};
};

}  // namespace

TEST_CASE("what is written in place is passed on in its block") {
  for (const char* model : {"woa", "rpc-hub"}) {
    for (const bool one_controller : {false, true}) {
      Plan plan = passing_chain(2);
      plan.window = 16;
      for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
      for (StagePlan& stage : plan.stages) stage.controller = std::min(stage.controller, one_controller ? 1U : 2U);
      Nexts next;
      const Outcome outcome = run(
          plan, model, 200,
          [](std::uint64_t i, std::uint32_t) { return std::string(65 + i, static_cast<char>('A' + i % 20)); },
          next.kernels);
      INFO(model << one_controller);
      REQUIRE(outcome.status.ok());
      REQUIRE(outcome.outputs.size() == 200);
      for (std::uint64_t i = 0; i < 200; ++i)
        REQUIRE(outcome.outputs.at(i)[0] == std::string(65 + i, static_cast<char>('C' + i % 20)));
      REQUIRE(next.in_place == 400);
      for (const EdgeStats& edge : outcome.report.edges) REQUIRE(edge.copied_bytes == 0);
    }
  }
}

TEST_CASE("small payloads, whose copies travel behind the headers, are written in place all the same") {
  for (const char* model : {"woa", "rpc-hub"}) {
    Nexts next;
    const Outcome outcome = run(
        passing_chain(2), model, 100, [](std::uint64_t i, std::uint32_t) { return std::string(i % 70, 'A'); },
        next.kernels);
    for (std::uint64_t i = 0; i < 100; ++i) REQUIRE(outcome.outputs.at(i)[0] == std::string(i % 70, 'C'));
  }
}

TEST_CASE("a firing that fails in place gives the block back") {
  for (const char* model : {"woa", "rpc-hub"}) {
    Plan plan = passing_chain(4);
    for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
    Nexts next;
    const Outcome outcome = run(
        plan, model, 100, [](std::uint64_t, std::uint32_t) { return std::string(100, 'A'); }, next.kernels);
    REQUIRE(outcome.outputs.size() == 50);
    REQUIRE(outcome.failures.size() == 50);
    for (std::uint64_t i = 0; i < 100; i += 2) REQUIRE(outcome.outputs.at(i)[0] == std::string(100, 'E'));
  }
}

TEST_CASE("a chain forwards: k+1 messages under woa, 2k through the hub") {
  for (const auto& [model, per_instance] : {std::pair{"woa", 6U}, std::pair{"rpc-hub", 10U}}) {
    const Outcome outcome = run(chain_plan(5, "append", 2), model, 100);
    INFO(model);
    REQUIRE(outcome.failures.empty());
    require_outputs(outcome, 100, [&](std::uint64_t instance) { return std::to_string(instance) + "abcde"; });
    REQUIRE(outcome.messages() == 100 * per_instance);
  }
}

TEST_CASE("payloads arrive whole on both sides of the inline limit, also those that wait or are held") {
  constexpr std::uint64_t kInstances = 12;
  for (const std::uint32_t limit : {0U, 1U, 64U, 65U, 192U, 1000U, kMaxInlineBytes}) {
    const auto payload = [limit](std::uint64_t i, std::uint32_t port) {
      return std::string(limit + (i + port) % 3, static_cast<char>('a' + (2 * i + port) % 26));
    };
    for (const bool held : {false, true}) {
      PlanBuilder builder(2, 1, 2 * (std::uint64_t{limit} + 8));
      const auto late = builder.stage("late", "copy", "cpu:0"), join = builder.stage("join", "join", "cpu:1", 2, 1);
      builder.raw().stages[join].inputs[1].hold = held;
      builder.edge(kSourceStage, 0, late, 0);
      builder.edge(late, 0, join, 0);
      builder.edge(kSourceStage, 1, join, 1);
      builder.edge(join, 0, kSinkStage, 0);
      for (EdgePlan& edge : builder.raw().edges) edge.inline_bytes = limit;
      for (const char* model : {"woa", "rpc-hub"}) {
        INFO(limit << held << model);
        const Outcome outcome = run(builder.build(), model, kInstances, payload);
        require_outputs(outcome, kInstances, [&](std::uint64_t i) { return payload(i, 0) + "+" + payload(i, 1); });
      }
    }
  }
}

TEST_CASE("stages of one controller exchange no message") {
  Plan plan = chain_plan(4, "append", 2);
  for (StagePlan& stage : plan.stages) stage.controller = std::min(stage.controller, 1U);
  const Outcome outcome = run(plan, "woa", 10);
  REQUIRE(outcome.outputs.size() == 10);
  REQUIRE(outcome.messages() == 20);
}

TEST_CASE("one_of: exactly the chosen branch runs, and a merge takes either") {
  for (const char* model : {"woa", "rpc-hub"}) {
    const Outcome outcome = run(branch_plan(), model, 50);
    for (std::uint64_t i = 0; i < 50; ++i)
      REQUIRE(outcome.outputs.at(i)[0] == std::to_string(i) + (i % 2 == 0 ? "E" : "O"));
  }
}

TEST_CASE("a loop counts its turns in the tag, and turn max + 1 is an error") {
  for (const char* model : {"woa", "rpc-hub"}) {
    for (const bool through_copy : {false, true}) {
      const Outcome outcome = run(loop(20, through_copy), model, 24);
      INFO(model << through_copy);
      for (std::uint64_t i = 0; i <= 20; ++i) REQUIRE(outcome.outputs.at(i)[0] == "tag" + std::to_string(i));
      for (std::uint64_t i = 21; i < 24; ++i) REQUIRE(outcome.failures.at(i).code == Code::kLoopLimit);
    }
  }
}

TEST_CASE("a held token serves every turn and is sent once") {
  for (const auto& [model, expected] : {std::pair{"woa", 3U}, std::pair{"rpc-hub", 0U}}) {
    const Outcome outcome = run(held_in_loop(), model, 20, [](std::uint64_t i, std::uint32_t port) {
      return port == 0 ? "0" : std::to_string(i + 7);
    });
    for (std::uint64_t i = 0; i < 20; ++i) {
      const int add = static_cast<int>(i) + 7;
      REQUIRE(outcome.outputs.at(i)[0] == std::to_string((100 + add - 1) / add * add));
    }
    if (expected != 0) REQUIRE(outcome.messages() == 20 * expected);
  }
}

TEST_CASE("lanes change neither results nor messages") {
  const Input small = [](std::uint64_t i, std::uint32_t) { return std::to_string(i % 20); };
  for (const char* model : {"woa", "rpc-hub"}) {
    for (Plan plan : {branch_plan(), loop(20, true), loop(20, false), chain_plan(5, "append", 2)}) {
      const Outcome without = run(plan, model, 60, small);
      for (std::size_t e = 0; e < plan.edges.size(); ++e) plan.edges[e].lane = std::to_string(e % 3);
      const Outcome with = run(plan, model, 60, small);
      REQUIRE(with.outputs.size() == 60);
      REQUIRE(with.outputs == without.outputs);
      REQUIRE(with.messages() == without.messages());
    }
  }
}

TEST_CASE("an output with several readers reaches all; a join waits for both") {
  PlanBuilder builder(1, 1);
  const auto a = builder.stage("a", "append", "cpu:0"), b = builder.stage("b", "append", "cpu:1"),
             c = builder.stage("c", "append", "cpu:2");
  const auto join = builder.stage("join", "join", "cpu:0", 2);
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(a, 0, c, 0);
  builder.edge(b, 0, join, 0);
  builder.edge(c, 0, join, 1);
  builder.edge(join, 0, kSinkStage, 0);
  for (const char* model : {"woa", "rpc-hub"}) {
    const Outcome outcome = run(builder.build(), model, 200);
    for (std::uint64_t i = 0; i < 200; ++i)
      REQUIRE(outcome.outputs.at(i)[0] == std::to_string(i) + "ab+" + std::to_string(i) + "ac");
  }
}

TEST_CASE("a failing firing poisons its instance only, and says who failed and why") {
  for (const char* model : {"woa", "rpc-hub"}) {
    Plan plan = chain_plan(3, "copy", 2);
    plan.stages[3].kernel = "fail_3";
    const Outcome outcome =
        run(plan, model, 30, [](std::uint64_t i, std::uint32_t) { return i % 10 == 5 ? "3" : "x"; });
    REQUIRE(outcome.outputs.size() == 27);
    REQUIRE(outcome.failures.size() == 3);
    for (const std::uint64_t i : {5U, 15U, 25U}) {
      REQUIRE(outcome.failures.at(i).code == Code::kKernelFailed);
      REQUIRE(outcome.failures.at(i).stage == "b");
      REQUIRE(outcome.failures.at(i).message == "three is refused");
    }
  }
}

TEST_CASE("poison in a loop ends") {
  Plan plan = loop(20, true);
  plan.stages[3].kernel = "fail_3";  // the body fails when it sees 3
  const Outcome outcome = run(plan, "woa", 10);
  for (std::uint64_t i = 0; i < 4; ++i) REQUIRE(outcome.outputs.contains(i));
  for (std::uint64_t i = 4; i < 10; ++i) REQUIRE(outcome.failures.at(i).stage == "body");
}

TEST_CASE("a kernel that leaves a port unwritten has broken its contract") {
  const Outcome outcome = run(chain_plan(1, "silent", 2), "woa", 3);
  REQUIRE(outcome.failures.size() == 3);
  REQUIRE(outcome.failures.at(0).code == Code::kBrokenContract);
  REQUIRE(outcome.failures.at(0).message.find("out0") != std::string::npos);
}

TEST_CASE("an input over its bound fails its instance at the source") {
  const Outcome outcome = run(chain_plan(2, "append", 2), "woa", 4,
                              [](std::uint64_t i, std::uint32_t) { return std::string(i == 2 ? 5000 : 10, 'x'); });
  REQUIRE(outcome.failures.size() == 1);
  REQUIRE(outcome.failures.at(2).code == Code::kTooLarge);
  REQUIRE(outcome.failures.at(2).stage == "source");
}

TEST_CASE("a deadline fails the instances that are late, and no others") {
  Functions kernels = functions();
  kernels["slow_but_for_0"] = [](Firing& f, const StagePlan&) {
    if (f.instance != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2'000));
    write(f, 0, read(f, 0));
  };
  Plan plan = chain_plan(1, "slow_but_for_0", 2);
  plan.window = 1;
  plan.timeout_ns = 1'000'000'000;
  const Outcome outcome = run(plan, "woa", 3, number, kernels);
  REQUIRE(outcome.outputs.size() == 1);
  REQUIRE(outcome.outputs.contains(0));
  REQUIRE(outcome.failures.size() == 2);
  for (const auto& [instance, failure] : outcome.failures) REQUIRE(failure.code == Code::kDeadlineExceeded);
}

TEST_CASE("stateful run: firings come in instance order, failed instances are skipped") {
  std::mutex mutex;
  std::vector<std::uint64_t> order;
  Functions kernels = functions();
  kernels["log_instance"] = [&](Firing& f, const StagePlan&) {
    {
      const std::lock_guard lock(mutex);
      order.push_back(f.instance);
    }
    write(f, 0, std::to_string(f.instance));
  };
  PlanBuilder builder(1, 1);
  // Two paths of different length to `log`, so that tokens overtake each other on one thread, too.
  const auto choose = builder.stage("choose", "odd_even", "cpu:0", 1, 2);
  builder.raw().stages[choose].outputs[0].one_of = builder.raw().stages[choose].outputs[1].one_of = 0;
  const auto check = builder.stage("check", "fail_3", "cpu:0"), shuffle = builder.stage("shuffle", "jitter", "cpu:1");
  const auto log = builder.stage("log", "log_instance", "cpu:2");
  builder.raw().window = 16;
  builder.raw().stages[log].stateful = Stateful::kRun;
  builder.edge(kSourceStage, 0, choose, 0);
  builder.edge(choose, 0, check, 0);
  builder.edge(choose, 1, shuffle, 0);
  builder.edge(check, 0, log, 0);
  builder.edge(shuffle, 0, log, 0);
  builder.edge(log, 0, kSinkStage, 0);
  const auto input = [](std::uint64_t i, std::uint32_t) { return std::to_string(i * i % 5); };  // 0 1 4 4 1
  const Outcome outcome = run(builder.build(), "woa", 200, input, kernels);
  REQUIRE(outcome.outputs.size() == 200);
  REQUIRE(order.size() == 200);
  REQUIRE(std::is_sorted(order.begin(), order.end()));
  order.clear();
  kernels["fail_3"] = [](Firing& f, const StagePlan&) { f.code = Code::kKernelFailed; };
  const Outcome some = run(builder.build(), "woa", 200, input, kernels);
  REQUIRE(some.failures.size() == 120);
  REQUIRE(order.size() == 80);
  REQUIRE(std::is_sorted(order.begin(), order.end()));
}

// source -> r -> s -> {a, b} -> sink: an instance that fails at r is over when the sink hears of it through b, whether
// or not a has read its poison.
TEST_CASE("poison that a busy controller has not read fills its ring, and when it has, all goes on") {
  Functions kernels = functions();
  kernels["late_at_0"] = [](Firing& f, const StagePlan&) {
    if (f.instance == 0) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    write(f, 0, read(f, 0));
  };
  kernels["fail_at_0"] = [](Firing& f, const StagePlan&) {
    if (f.instance == 0) f.code = Code::kKernelFailed;
    write(f, 0, read(f, 0));
  };
  PlanBuilder builder(1, 2);
  const auto r = builder.stage("r", "fail_3", "cpu:3"), s = builder.stage("s", "copy", "cpu:2");
  const auto a = builder.stage("a", "late_at_0", "cpu:0"), b = builder.stage("b", "fail_at_0", "cpu:1");
  builder.edge(kSourceStage, 0, r, 0);
  builder.edge(r, 0, s, 0);
  builder.edge(s, 0, a, 0);
  builder.edge(s, 0, b, 0);
  builder.edge(a, 0, kSinkStage, 0);
  builder.edge(b, 0, kSinkStage, 1);
  for (const char* model : {"woa", "rpc-hub"}) {
    INFO(model);
    // Instances 1 to 200 fail while `a` is busy: far more than its ring has places for.
    const Outcome outcome = run(
        builder.build(), model, 230, [](std::uint64_t i, std::uint32_t) { return i >= 1 && i <= 200 ? "3" : "x"; },
        kernels);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.failures.size() == 201);
    REQUIRE(outcome.outputs.size() == 29);
  }
}

TEST_CASE("the poison of the last instances, still unread when the run ends, is no failure of the run") {
  Functions kernels = functions();
  kernels["wait"] = [](Firing& f, const StagePlan&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    write(f, 0, read(f, 0));
  };
  kernels["fail"] = [](Firing& f, const StagePlan&) { f.code = Code::kKernelFailed; };
  PlanBuilder builder(1, 2);
  const auto a = builder.stage("a", "wait", "cpu:0"), b = builder.stage("b", "fail", "cpu:1");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(kSourceStage, 0, b, 0);
  builder.edge(a, 0, kSinkStage, 0);
  builder.edge(b, 0, kSinkStage, 1);
  for (const char* model : {"woa", "rpc-hub"}) {
    // The instance is over at once; its other firing outlives it, and with threads the controller, too.
    const Outcome outcome = run(builder.build(), model, 3, number, kernels);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.failures.size() == 3);
  }
}

TEST_CASE("channels at exactly b(e) blocks and a large window never deadlock") {
  for (const char* model : {"woa", "rpc-hub"}) {
    for (Plan plan : {branch_plan(), loop(20, true), loop(20, false), chain_plan(4, "jitter", 2)}) {
      plan.window = 16;
      for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
      const Outcome outcome =
          run(plan, model, 60, [](std::uint64_t i, std::uint32_t) { return std::to_string(i % 20); });
      REQUIRE(outcome.outputs.size() == 60);
    }
  }
}

TEST_CASE("a deterministic result whatever the window") {
  std::map<std::uint64_t, std::vector<std::string>> first;
  for (const std::uint32_t window : {1U, 2U, 7U, 64U}) {
    Plan plan = branch_plan();
    plan.window = window;
    for (EdgePlan& edge : plan.edges) edge.blocks = window;
    const Outcome outcome = run(plan, "woa", 130);
    if (first.empty()) first = outcome.outputs;
    REQUIRE(outcome.outputs == first);
  }
}

}  // namespace woa::test
