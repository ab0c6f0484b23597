// Updating does not allocate.
#include "tests/cts/onesided/rig.h"
#include "tests/support/alloc_counter.h"

namespace woa::cts {

TEST_CASE("nothing is allocated once a link is open") {
  Rig rig(1024);
  const auto updater = need(rig.open());
  std::array<std::uint64_t, 8> results{};
  std::uint64_t issued = 0, fetched = 0;
  const std::uint64_t before = test::allocations();
  for (std::uint64_t k = 0; k < 5000; ++k) {
    const std::uint64_t at = k % 128 * 8;
    const Update update = k % 5 == 0 ? onesided::fetch_add<std::uint64_t>(at, 1)
                                     : onesided::accumulate<std::uint64_t>(Operation::kSum, at, 1);
    const bool there = in_time([&] {
      if (updater->update(update) == Outcome::kOk) return true;
      updater->flush(), rig.poll();
      fetched += updater->take_results(results);
      return false;
    });
    if (there) ++issued;
    if (k % 3 == 0) updater->flush(), updater->poll(k);
    rig.poll();
    fetched += updater->take_results(results);
  }
  const std::uint64_t after = test::allocations();
  REQUIRE(issued > 4000);
  REQUIRE(fetched > 800);
  REQUIRE(after == before);
}

}  // namespace woa::cts
