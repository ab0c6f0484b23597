// Whoever has something wakes whoever waits for it, and nobody else: counted in sleeps, since each ends by a ring.
#include "runtime/transport/loopback/loopback_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/chain_plan.h"
#include "tests/support/functions.h"
#include "tests/support/process_run.h"
#include "tests/support/run_harness.h"

namespace woa::test {
namespace {

// A missing ring shows as the test's time-out.
constexpr std::uint64_t kForever = 3'600'000'000'000;

// The report of a run of one instance after the other, in which every wait is a sleep.
RunReport sleepy_run(const Plan& plan, std::uint64_t instances, bool processes) {
  BackendRegistry backends;
  LoopbackTransport loopback;
  ShmTransport shm;
  REQUIRE(backends.add(function_factory(functions())).ok());
  RunOptions options;
  options.backends = &backends;
  options.transport = processes ? static_cast<SharedMemory*>(&shm) : &loopback;
  if (processes) options.node_command = {WOA_TEST_NODE};
  options.idle = IdleOptions{.spin_ns = 0, .yields = 0, .sleep_ns = kForever};
  std::uint64_t ended = 0;
  auto run = Run::start(plan, options, [&](const Completion& completion) { ended += completion.failure == nullptr; });
  REQUIRE(run.ok());
  for (std::uint64_t k = 0; k < instances; ++k) {
    REQUIRE((*run)->submit([](std::uint32_t, std::span<std::byte> room) {
      room.front() = std::byte{'x'};
      return Result<std::uint64_t>(1);
    }) == Push::kOk);
    while (ended == k && (*run)->status().ok())
      if ((*run)->do_work() == 0) (*run)->wait();
  }
  auto report = (*run)->finish();
  REQUIRE(report.ok());
  REQUIRE(ended == instances);
  return std::move(*report);
}

}  // namespace

TEST_CASE("each controller of a chain wakes once for an instance, for its packet") {
  constexpr std::uint64_t kInstances = 500, kStart = 50;  // sleeps of the start and the end
  for (const bool processes : {false, true}) {
    CAPTURE(processes);
    Plan plan = chain_plan(2, "append");
    plan.window = 1;
    const RunReport report = sleepy_run(plan, kInstances, processes);
    REQUIRE(report.controllers.size() == 3);
    for (const ControllerReport& controller : report.controllers) {
      const WaitCounts& waits = controller.stats.waits;
      CHECK(waits.sleeps <= kInstances + kStart);
      CHECK(waits.sleeps > 0);
      CHECK(waits.yields == 0);
      CHECK_FALSE(waits.spins);
    }
  }
}

}  // namespace woa::test
