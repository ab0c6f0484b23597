// Replicas of a stage: the instances that they get, their messages, and their failures.
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "tests/integration/semantics/graph_run.h"
#include "tests/support/functions.h"
#include "tests/support/threaded_backend.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kReplicaInstances = 60;

// x -> work (replicated) -> more (replicated) -> out; `more` has a held input, too
std::string graph(int work, int more) {
  return "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
         "  work: {kernel: copy, in: {in: x}, replicas: " +
         std::to_string(work) +
         "}\n"
         "  more: {kernel: join2, in: {a: work.out, b: {from: x, hold: true}}, replicas: " +
         std::to_string(more) +
         "}\n"
         "outputs: {y: more.out}\n";
}

// Notes which instances each stage of the plan saw.
struct Noted {
  std::mutex mutex;
  std::map<std::string, std::set<std::uint64_t>> instances;
  Functions kernels{
      {"copy", [this](Firing& f, const StagePlan& s) { note(f, s), write(f, 0, read(f, 0)); }},
      {"join2", [this](Firing& f, const StagePlan& s) { note(f, s), write(f, 0, read(f, 0) + "+" + read(f, 1)); }}};
  void note(const Firing& firing, const StagePlan& stage) {
    const std::lock_guard lock(mutex);
    instances[stage.name].insert(firing.instance);
  }
};

TEST_CASE("instance i is for replica i modulo their number, and a join finds both halves") {
  for (const auto& [work, more] : {std::pair{2, 2}, {2, 3}, {4, 2}, {2, 4}, {1, 5}, {5, 1}, {64, 64}}) {
    for (const std::string_view model : models_of(compiled(graph(work, more)))) {
      INFO(work << " and " << more << ", " << model);
      Noted noted;
      const Outcome outcome =
          run_as<ThreadedBackend>(compiled(graph(work, more)), model, noted.kernels, kReplicaInstances);
      REQUIRE(outcome.status.ok());
      REQUIRE(outcome.outputs.size() == kReplicaInstances);
      for (const auto& [i, outputs] : outcome.outputs)
        REQUIRE(outputs[0] == std::to_string(i) + "+" + std::to_string(i));
      for (const auto& [stage, count] : {std::pair<std::string, int>{"work", work}, {"more", more}}) {
        for (std::uint64_t i = 0; i < kReplicaInstances; ++i) {
          const std::string replica =
              count == 1 ? stage : stage + "[" + std::to_string(i % static_cast<unsigned>(count)) + "]";
          REQUIRE(noted.instances[replica].contains(i));
        }
      }
      std::size_t firings = 0;
      for (const auto& entry : noted.instances) firings += entry.second.size();
      REQUIRE(firings == 2 * kReplicaInstances);
    }
  }
}

TEST_CASE("replicas work at the same time, with the window that the compiler chooses") {
  constexpr auto kLimit = std::chrono::seconds(10);
  for (const int replicas : {2, 4}) {
    const Plan plan = compiled(
        "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
        "  work: {kernel: copy, in: {in: x}, replicas: " +
        std::to_string(replicas) + "}\noutputs: {y: work.out}\n");
    REQUIRE(plan.window >= 2);
    std::atomic<std::uint64_t> started = 0;
    const Functions kernels{{"copy", [&](Firing& f, const StagePlan&) {
                               ++started;
                               const auto end = std::chrono::steady_clock::now() + kLimit;
                               while (started < f.instance / 2 * 2 + 2 && std::chrono::steady_clock::now() < end)
                                 std::this_thread::yield();
                               write(f, 0, started < f.instance / 2 * 2 + 2 ? "alone" : "together");
                             }}};
    const Outcome outcome = run_as<ThreadedBackend>(plan, "woa", kernels, 8);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == 8);
    for (const auto& [i, outputs] : outcome.outputs) CHECK(outputs[0] == "together");
  }
}

TEST_CASE("a relay needs no memory for what it passes on") {
  auto hub = rewrite(compiled(graph(4, 1)), "rpc-hub");
  REQUIRE(hub.ok());
  const auto of_relay = std::ranges::find_if(
      hub->edges, [&](const EdgePlan& edge) { return hub->stages[edge.from_stage].role == StageRole::kRelay; });
  REQUIRE(of_relay != hub->edges.end());
  of_relay->blocks = 300'000;  // of 1 MiB each
  CHECK(validate(*hub).message() == "");
}

TEST_CASE("replicas cost no messages but for held tokens, and each payload is counted once") {
  Noted noted;
  const Outcome one = run_as<FunctionBackend>(compiled(graph(1, 1)), "woa", noted.kernels, kReplicaInstances);
  const Outcome two = run_as<FunctionBackend>(compiled(graph(2, 4)), "woa", noted.kernels, kReplicaInstances);
  // Sums over the edges between the host and all replicas of a stage.
  const auto sum = [](const Outcome& outcome, const std::string& stage, bool held) {
    EdgeStats stats;
    for (std::size_t e = 0; e < outcome.plan.edges.size(); ++e) {
      const EdgePlan& edge = outcome.plan.edges[e];
      const StagePlan &from = outcome.plan.stages[edge.from_stage], &to = outcome.plan.stages[edge.to_stage];
      const StagePlan& other = edge.from_stage == kSourceStage ? to : from;
      const bool host = edge.from_stage == kSourceStage || edge.to_stage == kSinkStage;
      if (!host || !other.name.starts_with(stage) || to.inputs[edge.to_port].hold != held) continue;
      stats.messages += outcome.report.edges[e].messages;
      stats.payload_bytes += outcome.report.edges[e].payload_bytes;
    }
    return stats;
  };
  for (const char* stage : {"work", "more"}) CHECK(sum(two, stage, false).messages == kReplicaInstances);
  CHECK(sum(two, "more", false).payload_bytes == sum(one, "more", false).payload_bytes);
  // Each controller gets one block of x, though its replica of `work` and all of `more` take it.
  const auto sent_to_each = [&](const Outcome& outcome) {
    std::set<std::uint32_t> controllers;
    for (const EdgePlan& edge : outcome.plan.edges)
      if (edge.from_stage == kSourceStage) controllers.insert(outcome.plan.stages[edge.to_stage].controller);
    const std::uint64_t sent = sum(outcome, "work", false).payload_bytes + sum(outcome, "more", true).payload_bytes;
    return sent / controllers.size();
  };
  CHECK(sent_to_each(two) == sent_to_each(one));
  CHECK(sum(one, "more", true).messages == kReplicaInstances);
  CHECK(sum(two, "more", true).messages == 4 * kReplicaInstances);
}

TEST_CASE("an edge to each replica at exactly b(e) blocks never blocks for good") {
  for (const std::string_view model : models_of(compiled(graph(3, 2)))) {
    Plan plan = compiled(graph(3, 2));
    plan.window = 16;
    for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
    Noted noted;
    REQUIRE(run_as<ThreadedBackend>(plan, model, noted.kernels, kReplicaInstances).outputs.size() == kReplicaInstances);
  }
}

TEST_CASE("a replica that fails fails its instance only, under its own name") {
  Functions kernels = functions();
  kernels["join2"] = kernels.at("join");
  kernels["copy"] = kernels.at("fail_3");
  for (const std::string_view model : models_of(compiled(graph(2, 3)))) {
    const Outcome outcome = run_as<FunctionBackend>(compiled(graph(2, 3)), model, kernels, kReplicaInstances);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == kReplicaInstances - 1);
    REQUIRE(outcome.failures.at(3).stage == "work[1]");
    REQUIRE(outcome.failures.at(3).message == "three is refused");
  }
}

TEST_CASE("state of an instance stays with its replica") {
  // `step` counts in its state how often it fired for the instance.
  const std::string text =
      "woa: 1\ngraph: g\ninputs: {x: {type: bytes, max: 1KiB}}\nstages:\n"
      "  tick: {kernel: step, in: {x: [x, {from: tick.again, loop: {max: 9}}]}, replicas: 3}\n"
      "outputs: {y: tick.done}\n";
  Plan plan = compiled(text);
  std::mutex mutex;
  std::map<std::uint64_t, std::set<std::string>> replicas;  // by instance
  const Functions kernels{{"step", [&](Firing& f, const StagePlan& s) {
                             const std::lock_guard lock(mutex);
                             replicas[f.instance].insert(s.name);
                             write(f, f.tag < 5 ? 0 : 1, std::to_string(f.tag));
                           }}};
  for (StagePlan& stage : plan.stages) {
    if (stage.kernel == "step") stage.stateful = Stateful::kInstance;
  }
  for (const std::string_view model : models_of(plan)) {
    const Outcome outcome = run_as<ThreadedBackend>(plan, model, kernels, kReplicaInstances);
    REQUIRE(outcome.outputs.size() == kReplicaInstances);
    for (const auto& [i, outputs] : outcome.outputs) REQUIRE(outputs[0] == "5");
  }
  for (const auto& [instance, names] : replicas)
    REQUIRE(names == std::set<std::string>{"tick[" + std::to_string(instance % 3) + "]"});
}

}  // namespace
}  // namespace woa::test
