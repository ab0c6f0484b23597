// Instances at once, by the memory that was written.
#include "runtime/node/memory_limit.h"

#include <chrono>
#include <thread>

#include "tests/support/catch.h"

namespace woa {
namespace {

// Waits until it asks again.
void pass_time() { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }

std::uint64_t at_once(MemoryLimit& limit) {
  std::uint64_t others = 0;
  while (others < 1000 && limit.admits(others)) ++others;
  return others;
}

}  // namespace

TEST_CASE("growth in many steps leaves as many instances at once as growth in one") {
  for (const std::uint64_t step : {300U, 1U}) {
    CAPTURE(step);
    std::uint64_t written = 50;
    MemoryLimit limit([&] { return written; }, 1000);
    REQUIRE(limit.admits(40));
    for (written += 1000; written < 1350; written += step) {
      pass_time();
      (void)limit.admits(20 + written % 21);  // those that run come and go
    }
    written = 1350;
    pass_time();
    (void)limit.admits(3);
    CHECK(limit.written() == 1300);
    CHECK(at_once(limit) == 40 * 1000 / 1300);
  }
}

TEST_CASE("one instance may always begin, and below the limit any number") {
  std::uint64_t written = 0;
  MemoryLimit limit([&] { return written; }, 1000);
  CHECK(at_once(limit) == 1000);
  written = 1'000'000'000;
  pass_time();
  CHECK_FALSE(limit.admits(1));
  CHECK(limit.admits(0));
  CHECK(MemoryLimit().admits(1'000'000));
}

}  // namespace woa
