#include "runtime/transport/idle.h"

#include <time.h>

#include <thread>

#include "runtime/base/clock.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

constexpr std::uint64_t kForever = 3'600'000'000'000;  // a lost ring shows as the test's time-out

std::uint64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

TEST_CASE("a duty cycle that did work is followed by the next one at once") {
  DoorbellLine line;
  Idle idle(Doorbell(&line), {.spin_ns = 0, .yields = 0, .sleep_ns = kForever});
  for (int k = 0; k < 3; ++k) idle.idle(true, [] { return false; });
  REQUIRE(line.sleeping == 0);
}

TEST_CASE("it spins, then yields, and only then looks again to sleep") {
  DoorbellLine line;
  int looks = 0;
  const auto look = [&] {
    REQUIRE(line.sleeping == 1);  // announced, so that what is published from here on rings
    return ++looks > 0;
  };
  Idle idle(Doorbell(&line), {.spin_ns = 0, .yields = 5, .sleep_ns = kForever});
  for (int cycle = 0; cycle < 3; ++cycle) {
    for (int k = 0; k < 5; ++k) idle.idle(false, look);
    REQUIRE(looks == cycle);
    idle.idle(false, look);
    REQUIRE(looks == cycle + 1);  // found work: no sleep, and the next wait begins with spinning
    REQUIRE(line.sleeping == 0);
  }
  Idle spinner(Doorbell(&line), {.spin_ns = kForever, .yields = 1, .sleep_ns = kForever});
  for (int k = 0; k < 1000; ++k) spinner.idle(false, look);
  REQUIRE(looks == 3);
}

TEST_CASE("an idle loop uses less than a hundredth of a core") {
  constexpr std::uint64_t kWall = 1'000'000'000;
  DoorbellLine line;
  Idle idle{Doorbell(&line)};
  const std::uint64_t begin = now_ns(), cpu = thread_cpu_ns();
  while (now_ns() - begin < kWall) idle.idle(false, [] { return false; });
  REQUIRE(thread_cpu_ns() - cpu < (now_ns() - begin) / 100);
}

TEST_CASE("work published at any moment of going to sleep is found") {
  constexpr std::uint32_t kRounds = 2'000;
  DoorbellLine line;
  std::atomic<std::uint32_t> published{0}, seen{0};
  std::thread owner([&] {
    Idle idle(Doorbell(&line), {.spin_ns = 100, .yields = 1, .sleep_ns = kForever});
    const auto work = [&] {
      const std::uint32_t found = published.load(std::memory_order_acquire);
      return seen.exchange(found) != found;
    };
    while (seen.load() < kRounds) idle.idle(work(), work);
  });
  for (std::uint32_t n = 1; n <= kRounds; ++n) {
    published.store(n, std::memory_order_release);
    Doorbell(&line).ring();
    while (seen.load() < n) std::this_thread::yield();
  }
  owner.join();
  REQUIRE(seen == kRounds);
}

}  // namespace woa
