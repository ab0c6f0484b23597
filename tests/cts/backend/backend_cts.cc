// Requirements on every backend. The rows beside this file say which backend a program tests.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <random>
#include <stdexcept>
#include <thread>

#include "tests/cts/backend/rig.h"
#include "tests/support/alloc_counter.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

bool equal(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) { return std::ranges::equal(a, b); }

// Runs the kernel of `stage` and compares the result with the cpu variant's.
void check_result(Rig& rig, std::uint32_t stage, const std::vector<std::uint8_t>& data) {
  TestFiring firing(rig, stage, data, 0);
  rig.run(firing);
  INFO("stage " << stage << ", " << data.size() << " bytes: " << firing.message);
  REQUIRE(firing.code == Code::kOk);
  REQUIRE(firing.outputs[0].written);
  CHECK(equal(firing.result(), rig.expected(stage, data)));
}

TEST_CASE("the backend describes a device") {
  Rig rig;
  const DeviceDescription& description = rig.backend().description();
  CHECK(description.backend == rig.row().controller.backend);
  CHECK_FALSE(description.device.empty());
  CHECK((description.forwards == "host" || description.forwards == "device"));
  const auto probed = rig.row().factory.probe();
  REQUIRE(probed.ok());
  REQUIRE_FALSE(probed->empty());
  CHECK(probed->front().device == description.device);
  CHECK(probed->front().simulated == description.simulated);
}

TEST_CASE("results equal the cpu variant's at edge sizes") {
  Rig rig;
  rig.load();
  for (const std::size_t bytes : {0U, 1U, 2U, 7U, 8U, 9U, 31U, 63U, 64U, 65U, 127U, 128U, 4095U, 4096U, 4097U}) {
    check_result(rig, kCopy, pattern(bytes, 1));
    check_result(rig, kInvert, pattern(bytes, 2));
  }
}

TEST_CASE("results equal the cpu variant's at the largest size") {
  Rig rig;
  rig.load();
  check_result(rig, kCopy, pattern(kMaxBytes, 3));
  check_result(rig, kInvert, pattern(kMaxBytes, 4));
  check_result(rig, kInvert, pattern(1, 5));  // and a small one after it
}

TEST_CASE("results equal the cpu variant's at random sizes") {
  Rig rig;
  rig.load();
  std::minstd_rand random(7);
  for (std::uint32_t i = 0; i < 40; ++i) check_result(rig, i % 2 == 0 ? kCopy : kInvert, pattern(random() % 50000, i));
}

TEST_CASE("a stage without a variant for the device is refused at load") {
  Rig rig;
  Plan plan = rig.plan();
  plan.stages[kInvert].variant = {};
  plan.stages[kInvert].variant.kind = "quantum";
  std::vector<LoadedStage> stages = rig.stages();
  for (LoadedStage& stage : stages) stage.plan = &plan.stages[stage.id];
  const Status status = rig.backend().load(plan, stages, Doorbell());
  INFO(status.message());
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message().find("invert") != std::string::npos);
}

TEST_CASE("a failing firing has a code and a message, and the next one runs") {
  Rig rig;
  rig.load();
  const auto data = pattern(kNarrowBytes + 1, 8);
  TestFiring firing(rig, kNarrow, data, 0);
  rig.run(firing);
  INFO(firing.message);
  CHECK(firing.code == Code::kTooLarge);
  CHECK_FALSE(firing.message.empty());
  CHECK_FALSE(firing.outputs[0].written);
  check_result(rig, kNarrow, pattern(kNarrowBytes, 9));
}

TEST_CASE("a backend that is busy says so and recovers") {
  Rig rig;
  rig.load();
  const auto data = pattern(5000, 10);
  std::deque<TestFiring> firings;
  Start start = Start::kStarted;
  for (std::uint32_t i = 0; i < 1000 && start == Start::kStarted; ++i)
    start = rig.backend().start(firings.emplace_back(rig, kInvert, data, i));
  if (start == Start::kCompleted) {  // its kernels run in the call, so it never is busy
    REQUIRE(firings.size() == 1);
    CHECK(equal(firings.front().result(), rig.expected(kInvert, data)));
    return;
  }
  REQUIRE(start == Start::kBusy);
  REQUIRE(firings.size() > 1);
  firings.pop_back();  // refused: not the back-end's
  for (const TestFiring& firing : firings) rig.wait_for(firing);
  for (const TestFiring& firing : firings) CHECK(equal(firing.result(), rig.expected(kInvert, data)));
  check_result(rig, kInvert, data);
}

TEST_CASE("many firings, one after the other and at once, keep their own results", "[many]") {
  Rig rig;
  rig.load();
  std::deque<TestFiring> firings;
  for (std::uint32_t i = 0; i < 100; ++i) {
    rig.start(firings.emplace_back(rig, i % 3 == 0 ? kCopy : kInvert, pattern(100 * i, i), i));
  }
  for (std::uint32_t i = 0; i < firings.size(); ++i) {
    rig.wait_for(firings[i]);
    CHECK(firings[i].code == Code::kOk);
    CHECK(equal(firings[i].result(), rig.expected(firings[i].stage, pattern(100 * i, i))));
    CHECK(firings[i].ended_ns >= firings[i].started_ns);
  }
}

TEST_CASE("a device that numbers its packets does so in the order of the starts, and completes in it", "[order]") {
  Rig rig;
  if (!rig.row().controller.traits.writes_packets) return;
  rig.load();
  std::deque<TestFiring> firings;
  std::uint64_t completed = 0;
  std::array<Firing*, 3> done{};
  const auto poll = [&] {
    const std::size_t count = rig.backend().poll(done);
    for (std::size_t k = 0; k < count; ++k) {
      REQUIRE(done[k] == &firings[completed++]);
      REQUIRE(done[k]->routes[0].header.sequence == completed);  // of one channel
    }
  };
  const auto end = std::chrono::steady_clock::now() + patience();
  for (std::uint32_t i = 0; i < 100; ++i) {
    TestFiring& firing = firings.emplace_back(rig, i % 3 == 0 ? kCopy : kInvert, pattern(i * 37 % 5000, i), i);
    while (rig.backend().start(firing) == Start::kBusy && std::chrono::steady_clock::now() < end) poll();
  }
  while (completed < firings.size() && std::chrono::steady_clock::now() < end) poll();
  CHECK(completed == firings.size());
}

TEST_CASE("poll() reports at most what there is room for") {
  Rig rig;
  rig.load();
  TestFiring firing(rig, kCopy, pattern(10, 1), 0);
  rig.start(firing);
  CHECK(rig.backend().poll({}) == 0);
  rig.wait_for(firing);
}

TEST_CASE("a backend may go while firings run", "[leaving]") {
  const auto data = pattern(kMaxBytes / 8, 11);  // a device that is interpreted takes long for more
  for (std::uint32_t round = 0; round < 5; ++round) {
    Rig rig;
    rig.load();
    std::deque<TestFiring> firings;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const Start start = rig.backend().start(firings.emplace_back(rig, kInvert, data, i));
      if (start == Start::kBusy) firings.pop_back();
    }
    rig.destroy_backend();
    firings.clear();  // a backend that still wrote would be caught by the address sanitizer
  }
}

TEST_CASE("a case that fails while its firings run ends the backend before their memory goes") {
  Rig rig;
  rig.load();
  try {
    TestFiring firing(rig, kInvert, pattern(kMaxBytes / 8, 11), 0);
    rig.start(firing);
    throw std::runtime_error("a failed check");
  } catch (const std::runtime_error&) {
    CHECK_FALSE(rig.has_backend());
  }
}

TEST_CASE("a backend that was never loaded may go") {
  Rig rig;
  rig.destroy_backend();
}

// The environment may let the device fail: the double of CUDA's driver does, by WOA_CUDA_DOUBLE=fail=...
TEST_CASE("firings end with the right result or with an error, and with an error once the device has failed",
          "[failing]") {
  Rig rig;
  rig.load();
  std::array<std::deque<TestFiring>, 4> rounds;  // a device may store into lost firings as long as the back-end lives
  bool failed = false;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const bool failed_before = failed;
    std::deque<TestFiring>& firings = rounds[round];
    for (std::uint32_t i = 0; i < 8; ++i) rig.start(firings.emplace_back(rig, kInvert, pattern(10'000 + i, i), i));
    for (TestFiring& firing : firings) {
      rig.wait_for(firing);
      const auto number = static_cast<std::uint32_t>(firing.instance);
      INFO("round " << round << ", firing " << number << ": " << firing.message);
      const bool ok = firing.code == Code::kOk;
      CHECK(firing.lost != ok);
      CHECK(!(failed_before && ok));
      CHECK((!ok || equal(firing.result(), rig.expected(kInvert, pattern(10'000 + number, number)))));
      failed = failed || !ok;
    }
  }
  rig.destroy_backend();
}

// The environment may let a firing never end: the doubles do, by fail=hung@N and fail=endless@N. WOA_CTS_HANGS says so.
TEST_CASE("a backend goes soon, whether its firings have ended or one never will", "[hung]") {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kLook{1}, kSoon{20};  // it gives up after a second or two, and has ten times that here
  Rig rig;
  rig.load();
  std::deque<TestFiring> firings;
  std::size_t under_way = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Start start = rig.backend().start(firings.emplace_back(rig, kInvert, pattern(10'000 + i, i), i));
    if (start == Start::kStarted || start == Start::kOrdered) ++under_way;
  }
  std::array<Firing*, 8> done{};
  for (const auto end = Clock::now() + kLook; under_way != 0 && Clock::now() < end; std::this_thread::yield())
    under_way -= rig.backend().poll(done);
  if (std::getenv("WOA_CTS_HANGS") != nullptr) CHECK(under_way > 0);
  const auto begin = Clock::now();
  rig.destroy_backend();
  CHECK(Clock::now() - begin < kSoon);
}

TEST_CASE("polling an idle backend costs next to nothing") {
  Rig rig;
  rig.load();
  check_result(rig, kCopy, pattern(100, 1));
  std::array<Firing*, 4> done{};
  constexpr int kPolls = 100'000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kPolls; ++i) REQUIRE_FALSE(rig.backend().poll(done) > 0);
  // A poll takes far under a microsecond; the limit is ten times that, and as much again for a sanitizer or a busy
  // machine.
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::microseconds(100) * kPolls);
}

TEST_CASE("firings allocate nothing once the backend is warm") {
  Rig rig;
  if (rig.row().allocates) return;
  rig.load();
  TestFiring firing(rig, kInvert, pattern(4096, 1), 0);
  std::array<Firing*, 4> done{};
  const auto run_once = [&] {
    firing.output.written = 0;
    Start start = Start::kBusy;
    while ((start = rig.backend().start(firing)) == Start::kBusy) std::this_thread::yield();
    while (start == Start::kStarted && rig.backend().poll(done) == 0) std::this_thread::yield();
  };
  // Fills every worker at once: a thread allocates when it first starts.
  std::vector<std::unique_ptr<TestFiring>> all;
  do {
    all.push_back(std::make_unique<TestFiring>(rig, kInvert, pattern(4096, 1), 0));
  } while (rig.backend().start(*all.back()) == Start::kStarted);
  for (std::size_t ended = 1; ended < all.size(); ended += rig.backend().poll(done)) std::this_thread::yield();
  run_once();
  const std::uint64_t before = allocations();
  for (int i = 0; i < 100; ++i) run_once();
  CHECK(allocations() == before);
}

}  // namespace
}  // namespace woa::test
