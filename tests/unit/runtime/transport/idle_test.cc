#include "runtime/transport/idle.h"

#include <thread>

#include "runtime/base/clock.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

constexpr std::uint64_t kForever = 3'600'000'000'000;  // a lost ring shows as the test's time-out

}  // namespace

TEST_CASE("a duty cycle that did work is followed by the next one at once") {
  DoorbellLine line;
  Idle idle(Doorbell(&line), {.spin_ns = 0, .yields = 0, .sleep_ns = kForever, .long_yield_ns = kForever});
  for (int k = 0; k < 3; ++k) idle.idle(true, [] { return false; });
  REQUIRE(line.sleeping == 0);
}

TEST_CASE("it spins, then yields, and only then looks again to sleep") {
  DoorbellLine line;
  int looks = 0;
  const auto look = [&] {
    REQUIRE(line.sleeping == Doorbell::kWorkOrRoom);  // announced, so that what is published from here on rings
    return ++looks > 0;
  };
  Idle idle(Doorbell(&line), {.spin_ns = 0, .yields = 5, .sleep_ns = kForever, .long_yield_ns = kForever});
  for (int cycle = 0; cycle < 3; ++cycle) {
    for (int k = 0; k < 5; ++k) idle.idle(false, look);
    REQUIRE(looks == cycle);
    idle.idle(false, look);
    REQUIRE(looks == cycle + 1);  // found work: no sleep, and the next wait begins with spinning
    REQUIRE(line.sleeping == 0);
  }
  Idle spinner(Doorbell(&line), {.spin_ns = kForever, .yields = 1, .sleep_ns = kForever, .long_yield_ns = kForever});
  for (int k = 0; k < 1000; ++k) spinner.idle(false, look);
  REQUIRE(looks == 3);
}

TEST_CASE("an idle loop sleeps, each time for as long as it may") {
  constexpr std::uint64_t kWall = 500'000'000;
  const IdleOptions options{.long_yield_ns = kForever};
  DoorbellLine line;
  Idle idle(Doorbell(&line), options);
  std::uint64_t looks = 0, waits_after_the_first_look = 0;
  const std::uint64_t begin = now_ns();
  while (looks == 0 || now_ns() - begin < kWall) {  // busy processors may take the whole time before the first look
    waits_after_the_first_look += looks != 0;
    idle.idle(false, [&] { return ++looks == 0; });
  }
  REQUIRE(looks == waits_after_the_first_look + 1);  // never spins again
  REQUIRE(looks <= (now_ns() - begin) / options.sleep_ns + 1);
}

TEST_CASE("work published at any moment of going to sleep is found") {
  constexpr std::uint32_t kRounds = 2'000;
  DoorbellLine line;
  std::atomic<std::uint32_t> published{0}, seen{0};
  std::thread owner([&] {
    Idle idle(Doorbell(&line), {.spin_ns = 100, .yields = 1, .sleep_ns = kForever, .long_yield_ns = kForever});
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

TEST_CASE("yields may take long as long as they save more, then they pause for a hundred times as long") {
  constexpr std::uint64_t kLong = 500'000, kNow = 1'000'000'000;
  constexpr auto kPays = kLong / YieldAccount::kSleepCostNs;
  YieldAccount account;
  for (std::uint64_t k = 0; k < 2 * kPays; ++k) account.save();
  REQUIRE(account.pay(kLong, kNow));
  REQUIRE(account.pay(kLong, kNow));
  REQUIRE_FALSE(account.has_paused());
  REQUIRE_FALSE(account.pay(kLong, kNow));
  REQUIRE(account.has_paused());
  REQUIRE(account.pauses(kNow + 100 * kLong - 1));
  REQUIRE_FALSE(account.pauses(kNow + 100 * kLong));
  REQUIRE_FALSE(account.has_paused());
}

TEST_CASE("what yields once saved does not pay for a program that stays") {
  YieldAccount account;
  for (int k = 0; k < 1'000'000; ++k) account.save();
  int paid = 0;
  while (account.pay(4'000'000, 1)) REQUIRE(++paid <= 5);
  REQUIRE(paid == 5);  // 20 ms
}

TEST_CASE("a pause of the whole process, as a quota makes it, costs what yields can save at most") {
  YieldAccount account;
  for (int pause = 0; pause < 10; ++pause) {
    for (int k = 0; k < 3'000; ++k) account.save();
    REQUIRE(account.pay(50'000'000, 1));
  }
  REQUIRE_FALSE(account.pay(50'000'000, 1));
}

TEST_CASE("a thread whose yields cost more than sleeps sleeps at once") {
  DoorbellLine line;
  Idle idle(Doorbell(&line),
            {.spin_ns = 0, .yields = 5, .sleep_ns = 1, .long_yield_ns = 0, .start_ns = 0});  // each yield is long
  std::uint64_t looks = 0;
  const auto look = [&] { return ++looks == 0; };
  idle.idle(false, look);
  REQUIRE(idle.counts().yields == 1);
  REQUIRE(idle.counts().crowded == 1);
  REQUIRE(idle.counts().sleeps == 1);
  REQUIRE(looks == 1);
}

TEST_CASE("what a run's own threads do while it begins makes no thread sleep") {
  DoorbellLine line;
  Idle idle(Doorbell(&line), {.spin_ns = 0, .yields = 5, .sleep_ns = 1, .long_yield_ns = 0, .start_ns = kForever});
  for (int k = 0; k < 5; ++k) idle.idle(false, [] { return false; });
  REQUIRE(idle.counts().yields == 5);
  REQUIRE(idle.counts().crowded == 0);
}

TEST_CASE("what the owner waits for may change while it looks again") {
  DoorbellLine line;
  Idle idle(Doorbell(&line), {.spin_ns = 0, .yields = 0, .sleep_ns = kForever, .long_yield_ns = kForever});
  std::vector<Doorbell::For> answers{Doorbell::kWork, Doorbell::kWorkOrRoom, Doorbell::kWorkOrRoom};
  std::size_t asked = 0;
  const auto awaits = [&] { return answers[asked++]; };
  idle.idle(
      false, [] { return false; }, awaits);  // or this would sleep for ever
  REQUIRE(asked == 2);
  REQUIRE(line.sleeping == 0);
  REQUIRE(idle.counts().sleeps == 0);
}

}  // namespace woa
