#include "runtime/transport/doorbell.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "runtime/base/clock.h"
#include "runtime/base/unique_fd.h"
#include "tests/support/catch.h"

namespace woa {
namespace {

constexpr std::uint64_t kForever = 3'600'000'000'000;  // a lost ring shows as the test's time-out

}  // namespace

TEST_CASE("a ring while the owner is awake leaves nothing behind") {
  DoorbellLine line;
  Doorbell(&line).ring();
  REQUIRE(line.rings == 0);
}

TEST_CASE("a ring between prepare and sleep ends the sleep at once") {
  DoorbellLine line;
  const Doorbell bell(&line);
  for (int k = 0; k < 3; ++k) {
    bell.prepare();
    bell.ring();
    bell.sleep(kForever);
    REQUIRE(line.sleeping == 0);
  }
  REQUIRE(line.rings == 3);
}

TEST_CASE("an owner has announced its sleep until it cancels, is rung, or has slept") {
  DoorbellLine line;
  const Doorbell bell(&line);
  REQUIRE_FALSE((bell.prepared() || Doorbell().prepared()));
  bell.prepare();
  REQUIRE(bell.prepared());
  bell.cancel();
  REQUIRE_FALSE(bell.prepared());
  bell.prepare();
  bell.ring();
  REQUIRE_FALSE(bell.prepared());
  bell.prepare();
  bell.sleep(1);
  REQUIRE_FALSE(bell.prepared());
}

TEST_CASE("a ring of an earlier sleep does not end the next one") {
  DoorbellLine line;
  const Doorbell bell(&line);
  bell.prepare();
  bell.ring();
  bell.cancel();
  REQUIRE(line.sleeping == 0);
  bell.prepare();
  REQUIRE(line.seen == line.rings);
  bell.cancel();
}

TEST_CASE("a ring writes to the owner's descriptor, and another process leaves its own alone") {
  void* const shared = ::mmap(nullptr, sizeof(DoorbellLine), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  const Doorbell bell(new (shared) DoorbellLine);
  const UniqueFd descriptor(::eventfd(0, EFD_NONBLOCK));
  bell.ring_into(descriptor.get());
  REQUIRE(bell.rings_descriptor());
  const auto written = [&] {
    eventfd_t count = 0;
    ::eventfd_read(descriptor.get(), &count);
    return count;
  };
  bell.ring();
  CHECK(written() == 0);  // the owner is awake
  bell.prepare();
  bell.ring();
  bell.ring();
  CHECK(written() == 1);
  bell.prepare();
  const pid_t child = ::fork();
  if (child == 0) {
    bell.ring();
    ::_exit(0);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(written() == 0);
  CHECK(bell.prepared());
  bell.ring_into(-1);
  bell.prepare();
  bell.ring();
  CHECK(written() == 0);
  ::munmap(shared, sizeof(DoorbellLine));
}

TEST_CASE("nobody writes to a descriptor that the owner has taken back") {
  DoorbellLine line;
  const Doorbell bell(&line);
  std::atomic<bool> stop{false};
  std::jthread ringer([&] {
    while (!stop) bell.ring();
  });
  int wrong = 0;
  for (int k = 0; k < 20'000; ++k) {
    {
      const UniqueFd descriptor(::eventfd(0, EFD_NONBLOCK));
      bell.ring_into(descriptor.get());
      bell.prepare();
      bell.ring_into(-1);
    }
    bell.cancel();
    const UniqueFd another(::eventfd(0, EFD_NONBLOCK));  // gets the same number
    std::this_thread::yield();
    eventfd_t count = 0;
    wrong += ::eventfd_read(another.get(), &count) == 0 ? 1 : 0;
  }
  stop = true;
  CHECK(wrong == 0);
}

TEST_CASE("a sleep that nobody ends lasts its time-out") {
  DoorbellLine line;
  const Doorbell bell(&line);
  const std::uint64_t begin = now_ns();
  do {  // spurious returns happen
    bell.prepare();
    bell.sleep(20'000'000);
  } while (now_ns() - begin < 20'000'000);
  REQUIRE(line.rings == 0);
}

TEST_CASE("the count of rings wraps") {
  DoorbellLine line;
  line.rings = 0xffffffff;
  const Doorbell bell(&line);
  bell.prepare();
  bell.ring();
  bell.sleep(kForever);
  REQUIRE(line.rings == 0);
}

TEST_CASE("a doorbell without a line rings nobody and sleeps by the clock") {
  const Doorbell bell;
  bell.ring();
  bell.prepare();
  bell.cancel();
  const std::uint64_t begin = now_ns();
  bell.sleep(1'000'000);
  REQUIRE(now_ns() - begin >= 1'000'000);
}

TEST_CASE("no ring is lost between two threads that sleep whenever they can") {
  constexpr std::uint32_t kRounds = 5'000;
  DoorbellLine lines[2];
  std::atomic<std::uint32_t> turn{0};
  const auto play = [&](std::uint32_t own) {
    const Doorbell mine(&lines[own]), other(&lines[1 - own]);
    for (std::uint32_t round = own; round < kRounds; round += 2) {
      while (turn.load(std::memory_order_acquire) != round) {
        mine.prepare();
        turn.load(std::memory_order_acquire) != round ? mine.sleep(kForever) : mine.cancel();
      }
      turn.store(round + 1, std::memory_order_release);
      other.ring();
    }
  };
  std::thread second(play, 1);
  play(0);
  second.join();
  REQUIRE(turn == kRounds);
}

// The two sides at the same moment, again and again: the owner sees the work, or the ringer sees the sleeper. Without
// the fence between the two words a processor lets both miss the other.
TEST_CASE("going to sleep and ringing at once never miss each other") {
  DoorbellLine line;
  const Doorbell bell(&line);
  alignas(64) std::atomic<std::uint32_t> work{0};
  alignas(64) std::atomic<std::uint32_t> started{0};
  alignas(64) std::atomic<std::uint32_t> rung{0};
  std::atomic<bool> stop{false};
  std::thread ringer([&] {
    for (std::uint32_t round = 1; !stop; ++round) {
      while (started.load() < round && !stop) continue;
      work.store(round, std::memory_order_release);
      bell.ring();
      rung.store(round);
    }
  });
  std::uint32_t missed = 0;
  const std::uint64_t begin = now_ns();
  for (std::uint32_t round = 1; round <= 300'000 && now_ns() - begin < 2'000'000'000; ++round) {
    const std::uint32_t rings = line.rings;
    started.store(round);
    for (std::uint32_t wait = round % 512; wait > 0; --wait) std::atomic_signal_fence(std::memory_order_seq_cst);
    bell.prepare();
    const bool seen = work.load(std::memory_order_acquire) == round;
    while (rung.load() < round) continue;
    if (!seen && line.rings == rings) ++missed;
    bell.cancel();
  }
  stop = true;
  ringer.join();
  REQUIRE(missed == 0);
}

TEST_CASE("room wakes only an owner that waits for it, work wakes any") {
  DoorbellLine line;
  const Doorbell bell(&line);
  bell.prepare(Doorbell::kWork);
  bell.ring_for_room();
  REQUIRE(bell.prepared());
  bell.ring();
  REQUIRE_FALSE(bell.prepared());
  bell.prepare();
  bell.ring_for_room();
  REQUIRE_FALSE(bell.prepared());
}

}  // namespace woa
