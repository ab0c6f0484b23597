// Runs in several processes over shm: the same results as in one, and a clean end when a node dies at any moment.
#include <signal.h>

#include <random>

#include "runtime/base/clock.h"
#include "runtime/call_models/call_model.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"
#include "tests/support/process_run.h"
#include "tests/support/run_harness.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kLimit_ns = 10'000'000'000;  // ten times what a user would call a hang

struct World {
  BackendRegistry backends;
  ShmTransport transport;
  RunOptions options;
  World() {
    REQUIRE(backends.add(function_factory(functions())).ok());
    options.backends = &backends;
    options.transport = &transport;
    options.node_command = {WOA_TEST_NODE};
  }
};

Plan as(const Plan& plan, const char* model) {
  auto rewritten = rewrite(plan, model);
  REQUIRE(rewritten.ok());
  return *rewritten;
}

}  // namespace

TEST_CASE("per controller: the same outputs and message counts as in one process") {
  World world;
  for (const auto& [model, per_instance] : {std::pair{"woa", 4U}, std::pair{"rpc-hub", 6U}}) {
    const Outcome outcome = run_plan(as(chain_plan(3, "append"), model), world.options, 500, number);
    REQUIRE(outcome.status.ok());
    REQUIRE(outcome.outputs.size() == 500);
    for (const auto& [instance, outputs] : outcome.outputs) REQUIRE(outputs[0] == std::to_string(instance) + "abc");
    REQUIRE(outcome.messages() == 500 * per_instance);
    REQUIRE(children().empty());
  }
}

TEST_CASE("poison crosses processes with its message") {
  World world;
  Plan plan = chain_plan(3, "copy");
  plan.stages[3].kernel = "fail_3";
  const Outcome outcome =
      run_plan(plan, world.options, 20, [](std::uint64_t i, std::uint32_t) { return i == 7 ? "3" : "x"; });
  REQUIRE(outcome.outputs.size() == 19);
  REQUIRE(outcome.failures.at(7).stage == "b");
  REQUIRE(outcome.failures.at(7).message == "three is refused");
}

TEST_CASE("a node killed at a random moment ends the run, names the controller, and leaves nothing") {
  World world;
  std::mt19937 random(20261120);
  const std::size_t descriptors = open_descriptors();
  for (const char* model : {"woa", "rpc-hub"}) {
    for (std::size_t victim = 0; victim < 3; ++victim) {
      for (int round = 0; round < 5; ++round) {
        const Plan plan = as(chain_plan(3, "jitter"), model);
        std::uint64_t completed = 0, failed = 0;
        auto run = Run::start(plan, world.options, [&](const Completion& completion) {
          ++completed;
          if (completion.failure == nullptr) return;
          ++failed;
          REQUIRE(completion.failure->code == Code::kPeerLost);
        });
        REQUIRE(run.ok());
        const std::vector<pid_t> nodes = children();
        REQUIRE(nodes.size() == 3);
        const std::uint64_t kill_at = random() % 60;
        std::uint64_t submitted = 0, killed_ns = 0;
        while ((*run)->status().ok()) {
          if (completed >= kill_at && killed_ns == 0) {
            REQUIRE(::kill(nodes[victim], SIGKILL) == 0);
            killed_ns = now_ns();
          }
          const Push push = (*run)->submit([](std::uint32_t, std::span<std::byte> room) {
            room[0] = std::byte{'x'};
            return Result<std::uint64_t>(std::uint64_t{1});
          });
          if (push == Push::kOk) ++submitted;
          if ((*run)->do_work() == 0) (*run)->wait();
        }
        const std::string name = "cpu:" + std::to_string(victim);
        INFO((*run)->status().message());
        REQUIRE((*run)->status().code() == Code::kPeerLost);
        REQUIRE((*run)->status().message().find("'" + name + "'") != std::string::npos);
        REQUIRE(completed == submitted);  // each ended: done or failed
        REQUIRE(failed > 0);
        REQUIRE(!(*run)->finish().ok());
        run = Status(Code::kCancelled, "over");  // ends the nodes
        REQUIRE(now_ns() - killed_ns < kLimit_ns);
        REQUIRE(children().empty());
        REQUIRE(open_descriptors() == descriptors);
      }
    }
  }
  const Outcome after = run_plan(chain_plan(3, "append"), world.options, 10, number);
  REQUIRE(after.outputs.size() == 10);
}

TEST_CASE("a program that is no node is refused with the controller's name") {
  World world;
  world.options.node_command = {"/bin/false"};
  const auto run = Run::start(chain_plan(3, "copy"), world.options, [](const Completion&) {});
  REQUIRE(!run.ok());
  // The message names the first that was found dead.
  REQUIRE(run.status().message().find("controller 'cpu:") != std::string::npos);
  REQUIRE(children().empty());
}

TEST_CASE("an aborted run ends while kernels still run") {
  World world;
  auto run = Run::start(chain_plan(3, "slow"), world.options, [](const Completion&) {});
  REQUIRE(run.ok());
  for (int k = 0; k < 3; ++k) {
    (void)(*run)->submit([](std::uint32_t, std::span<std::byte>) { return Result<std::uint64_t>(std::uint64_t{0}); });
    (void)(*run)->do_work();
  }
  const std::uint64_t start = now_ns();
  run = Status(Code::kCancelled, "over");
  REQUIRE(now_ns() - start < kLimit_ns);
  REQUIRE(children().empty());
}

}  // namespace woa::test
