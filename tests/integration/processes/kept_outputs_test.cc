// A program does more with a run than submit: it keeps outputs, limits or cancels single instances, and wakes the
// thread that drives.
#include <map>
#include <random>
#include <string>
#include <thread>

#include "runtime/base/clock.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/functions.h"
#include "tests/support/process_run.h"
#include "tests/support/run_harness.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kLimit_ns = 10'000'000'000;

// A run of chain_plan() in threads or in processes, and how its instances ended.
struct Program {
  BackendRegistry backends;
  LoopbackTransport loopback;
  ShmTransport shm;
  std::unique_ptr<Run> run;
  std::map<std::uint64_t, std::span<const std::byte>> kept;  // by instance
  std::map<std::uint64_t, Code> ended;
  bool keep = false;

  Program(const Plan& plan, bool processes, std::uint64_t memory = 0) {
    REQUIRE(backends.add(function_factory(functions())).ok());
    RunOptions options;
    options.backends = &backends;
    options.transport = processes ? static_cast<SharedMemory*>(&shm) : &loopback;
    options.memory = memory;
    if (processes) options.node_command = {WOA_TEST_NODE};
    auto started = Run::start(plan, options, [this](const Completion& completion) { end(completion); });
    REQUIRE(started.ok());
    run = std::move(*started);
  }
  void end(const Completion& completion) {
    ended[completion.instance] = completion.failure == nullptr ? Code::kOk : completion.failure->code;
    if (completion.failure != nullptr || !keep) return;
    kept[completion.instance] = completion.outputs[0].payload;
    run->keep();
  }
  Push submit(const std::string& text, std::uint64_t timeout_ns = 0) {
    return run->submit(
        [text](std::uint32_t, std::span<std::byte> room) {
          std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), room.begin());
          return Result<std::uint64_t>(text.size());
        },
        timeout_ns);
  }
  void drive(std::size_t until_ended) {
    const std::uint64_t began = now_ns();
    while (ended.size() < until_ended && run->status().ok() && now_ns() - began < kLimit_ns)
      if (run->do_work() == 0) run->wait();
    INFO(run->status().message());
    REQUIRE(ended.size() >= until_ended);
  }
  [[nodiscard]] std::string text(std::uint64_t instance) const {
    const auto bytes = kept.at(instance);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

Plan windowed(std::uint32_t window) {
  Plan plan = chain_plan(3, "append");
  plan.window = window;
  for (EdgePlan& edge : plan.edges) edge.blocks = window;
  return plan;
}

}  // namespace

TEST_CASE("kept outputs stay as they are while other instances run, and hold their places in the window") {
  for (const bool processes : {false, true}) {
    for (const std::uint32_t window : {2U, 64U}) {  // the host's device has room for all that a window may keep
      CAPTURE(processes, window);
      Program program(windowed(window), processes);
      program.keep = true;
      for (std::uint32_t i = 0; i < window; ++i) REQUIRE(program.submit(std::to_string(i)) == Push::kOk);
      program.drive(window);
      REQUIRE(program.run->in_flight() == 0);
      REQUIRE(program.submit("full") == Push::kBackPressured);
      REQUIRE(program.run->give_back(1));
      REQUIRE(!program.run->give_back(1));
      REQUIRE(program.submit("full") == Push::kBackPressured);  // instances leave the window in their order
      REQUIRE(program.run->give_back(0));
      REQUIRE(program.submit("next") == Push::kOk);
      REQUIRE(program.submit("after it") == Push::kOk);
      program.drive(window + 2);
      for (std::uint32_t i = 2; i < window; ++i) REQUIRE(program.text(i) == std::to_string(i) + "abc");
      REQUIRE(program.text(window) == "nextabc");
      REQUIRE(program.run->finish().ok());
      REQUIRE(program.text(window + 1) == "after itabc");  // until the run is destroyed
    }
  }
}

TEST_CASE("outputs that are given back in any order are never written over before") {
  Program program(windowed(7), true);
  program.keep = true;
  std::mt19937 random(20261127);
  std::uint64_t next = 0;
  while (program.ended.size() < 2'000) {
    while (next < 2'000 && program.submit(std::to_string(next)) == Push::kOk) ++next;
    if (program.run->do_work() == 0) program.run->wait();
    while (!program.kept.empty() && random() % 3 != 0) {
      const auto chosen = std::next(program.kept.begin(), static_cast<std::ptrdiff_t>(random() % program.kept.size()));
      REQUIRE(program.text(chosen->first) == std::to_string(chosen->first) + "abc");
      REQUIRE(program.run->give_back(chosen->first));
      program.kept.erase(chosen);
    }
  }
  REQUIRE(program.run->finish().ok());
}

TEST_CASE("one instance is cancelled or late, and the others go on") {
  Plan plan = chain_plan(1, "slow");
  plan.window = 3;
  for (EdgePlan& edge : plan.edges) edge.blocks = 3;
  Program program(plan, false);
  REQUIRE(program.submit("a", 1'000'000) == Push::kOk);  // a millisecond
  REQUIRE(program.submit("b") == Push::kOk);
  REQUIRE(program.submit("c") == Push::kOk);
  REQUIRE(program.run->cancel(1, "the user left"));
  REQUIRE(!program.run->cancel(1, "again"));
  REQUIRE(!program.run->cancel(7, "never submitted"));
  program.drive(3);
  REQUIRE(program.ended ==
          std::map<std::uint64_t, Code>{{0, Code::kDeadlineExceeded}, {1, Code::kCancelled}, {2, Code::kOk}});
  REQUIRE(!program.run->cancel(2, "it has ended"));
  REQUIRE(program.run->finish().ok());
}

TEST_CASE("instances wait while payloads take too much memory, and each ends as it would have") {
  for (const bool processes : {false, true}) {
    CAPTURE(processes);
    Plan plan = chain_plan(1, "slow");
    plan.window = 8;
    for (EdgePlan& edge : plan.edges) edge.blocks = 8;
    Program program(plan, processes, 1);
    for (int i = 0; i < 6; ++i) REQUIRE(program.submit("x") == Push::kOk);
    REQUIRE(program.submit("in time", 1'000'000) == Push::kOk);  // a millisecond
    REQUIRE(program.submit("y") == Push::kOk);
    REQUIRE(program.submit("full") == Push::kBackPressured);
    REQUIRE(program.run->cancel(5, "the user left"));
    REQUIRE(!program.run->cancel(5, "again"));
    REQUIRE(program.ended == std::map<std::uint64_t, Code>{{5, Code::kCancelled}});
    REQUIRE(program.run->in_flight() == 7);
    program.drive(8);
    for (const auto& [instance, code] : program.ended) {
      CAPTURE(instance);
      REQUIRE(code == (instance == 5 ? Code::kCancelled : instance == 6 ? Code::kDeadlineExceeded : Code::kOk));
    }
    for (int i = 0; i < 8; ++i) REQUIRE(program.submit("z") == Push::kOk);
    const auto report = program.run->finish();
    REQUIRE(report.ok());
    REQUIRE(program.ended.size() == 16);
    REQUIRE(report->use.held_ns > 0);
    REQUIRE(report->use.most_memory == 1);
    REQUIRE(report->use.memory >= 4096);
  }
}

TEST_CASE("outputs that are kept count with the instances that run, but for the only one") {
  Program program(windowed(8), false, 1);
  program.keep = true;
  for (int i = 0; i < 8; ++i) REQUIRE(program.submit(std::to_string(i)) == Push::kOk);
  program.drive(8);
  REQUIRE(program.kept.size() == 8);
  REQUIRE(program.run->finish().ok());
}

TEST_CASE("another thread ends a wait") {
  Program program(chain_plan(1, "append"), false);
  std::atomic<bool> said{false};
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    said = true;
    program.run->wake();
  });
  const std::uint64_t began = now_ns();
  while (!said && now_ns() - began < kLimit_ns) program.run->wait(kLimit_ns, [&] { return said.load(); });
  REQUIRE(said);
}

}  // namespace woa::test
