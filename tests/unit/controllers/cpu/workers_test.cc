#include "controllers/cpu/workers.h"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace woa {
namespace {

// A kernel that notes which instances ran, and waits in each until it is let go.
struct Gate {
  std::atomic<std::uint64_t> begun{0}, let_go{0};
  std::vector<std::uint64_t> order;  // of one worker
};

woa_status pass_gate(void* self, const woa_firing* firing, const woa_input*, woa_output*, woa_error*) {
  Gate& gate = *static_cast<Gate*>(self);
  gate.order.push_back(firing->instance);
  const std::uint64_t number = ++gate.begun;
  while (gate.let_go < number) std::this_thread::yield();
  return WOA_OK;
}

struct WorkersRig {
  Gate gate;
  StagePlan plan;
  woa_kernel kernel{};
  std::vector<LoadedStage> stages;
  DoorbellLine line;
  std::vector<Firing> firings;
  std::vector<ActivitySlot> slots;

  explicit WorkersRig(std::vector<std::uint64_t> instances) : firings(instances.size()), slots(instances.size()) {
    kernel.run = pass_gate;
    stages.push_back({0, &plan, &kernel, &gate});
    for (std::size_t k = 0; k < instances.size(); ++k)
      firings[k].instance = instances[k], firings[k].activity = &slots[k];
  }
  ~WorkersRig() { gate.let_go = ~std::uint64_t{0}; }
  void wait_until_begun(std::uint64_t count) const {
    while (gate.begun < count) std::this_thread::yield();
  }
  void take_all(Workers& workers, std::size_t count) const {
    std::array<Firing*, 2> done{};
    while (count > 0) {
      const std::size_t taken = workers.take_done(done);
      count -= taken;
      if (taken == 0) std::this_thread::yield();
    }
  }
};

}  // namespace

TEST_CASE("of the firings that wait the oldest instance's is taken first") {
  WorkersRig rig({5, 9, 3, 7});
  Workers workers(rig.stages, 1, 10, false, nullptr, Doorbell(&rig.line));
  REQUIRE(workers.give(rig.firings[0]) == Workers::Given::kYes);
  rig.wait_until_begun(1);
  for (std::size_t k = 1; k < 4; ++k) REQUIRE(workers.give(rig.firings[k]) == Workers::Given::kYes);
  const std::vector<RunningKernel> running = running_kernels(0, rig.slots);
  REQUIRE(running.size() == 1);  // the others wait
  CHECK(running.front().instance == 5);
  rig.gate.let_go = 4;
  rig.take_all(workers, 4);
  CHECK(rig.gate.order == std::vector<std::uint64_t>{5, 3, 7, 9});
}

TEST_CASE("workers are given no more than there is room for, until some are taken back") {
  WorkersRig rig({0, 1, 2});
  Workers workers(rig.stages, 1, 2, false, nullptr, Doorbell(&rig.line));
  REQUIRE(workers.give(rig.firings[0]) == Workers::Given::kYes);
  REQUIRE(workers.give(rig.firings[1]) == Workers::Given::kYes);
  CHECK(workers.give(rig.firings[2]) == Workers::Given::kFull);
  rig.gate.let_go = 1;
  rig.take_all(workers, 1);
  CHECK(workers.give(rig.firings[2]) == Workers::Given::kYes);
  rig.gate.let_go = 3;
  rig.take_all(workers, 2);
}

TEST_CASE("a worker rings a controller that sleeps when nothing waits any more") {
  WorkersRig rig({0});
  const Doorbell bell(&rig.line);
  Workers workers(rig.stages, 1, 1, false, nullptr, bell);
  bell.prepare();
  REQUIRE(workers.give(rig.firings[0]) == Workers::Given::kYes);
  rig.gate.let_go = 1;
  bell.sleep(10'000'000'000);  // ten times what a user would call a hang
  CHECK_FALSE(bell.prepared());
  rig.take_all(workers, 1);
}

TEST_CASE("workers go while firings run and wait") {
  WorkersRig rig({0, 1, 2});
  std::thread later;
  {
    Workers workers(rig.stages, 1, 3, false, nullptr, Doorbell(&rig.line));
    for (Firing& firing : rig.firings) REQUIRE(workers.give(firing) == Workers::Given::kYes);
    rig.wait_until_begun(1);
    later = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      rig.gate.let_go = 3;
    });
  }
  later.join();
  CHECK(rig.gate.order.size() == rig.gate.begun);
}

}  // namespace woa
