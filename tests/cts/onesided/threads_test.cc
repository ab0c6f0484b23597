// Several origins at once, each a thread, and an owner that polls meanwhile.
#include <atomic>

#include "tests/cts/onesided/origins.h"

namespace woa::cts {

TEST_CASE("updates of several threads sum up exactly, and no ticket is given twice") {
  constexpr std::uint32_t kOrigins = 3;
  constexpr std::uint64_t kTurns = 2000;
  Rig rig(kConcurrentBytes, kOrigins);
  std::atomic<std::uint32_t> done{0}, well{0};
  std::vector<std::uint64_t> tickets(kOrigins);
  std::vector<std::thread> threads;
  for (std::uint32_t k = 0; k < kOrigins; ++k) {
    threads.emplace_back([&, k, updater = need(rig.open(k))] {
      if (run_origin(*updater, k, kTurns, tickets[k])) ++well;
      ++done;
    });
  }
  while (done < kOrigins)
    if (rig.poll() == 0) std::this_thread::yield();
  for (std::thread& thread : threads) thread.join();
  REQUIRE(well == kOrigins);
  REQUIRE(is_complete(rig.region, kOrigins, kTurns));
  std::uint64_t sum = 0;
  for (const std::uint64_t some : tickets) sum += some;
  REQUIRE(sum == sum_of_tickets(kOrigins * kTurns));
}

}  // namespace woa::cts
