// Origins in processes of their own; one of them dies.
#include <unistd.h>

#include "tests/cts/onesided/origins.h"
#include "tests/support/child.h"

namespace woa::cts {

using test::Child;

TEST_CASE("updates of several processes sum up exactly") {
  constexpr std::uint32_t kOrigins = 2;
  constexpr std::uint64_t kTurns = 2000;
  Rig rig(kConcurrentBytes, kOrigins);
  // Each child writes the sum of its tickets to its element of another segment.
  const auto sums = need(rig.sides->producer.allocate("sums", kOrigins * sizeof(std::uint64_t)));
  const auto mapping = need(sums->map(Access::kReadWrite));
  auto* sum_of = reinterpret_cast<std::uint64_t*>(mapping->bytes().data());
  std::vector<std::unique_ptr<Child>> children;
  for (std::uint32_t k = 0; k < kOrigins; ++k) {
    children.push_back(std::make_unique<Child>([&, k] {
      auto updater = rig.open(k);
      return updater.ok() && run_origin(**updater, k, kTurns, sum_of[k]) ? 0 : 1;
    }));
  }
  if (rig.way.owner_polls) {
    const auto open = [&](const auto& receiver) { return !receiver->closed() && receiver->status().ok(); };
    while (open(rig.receivers[0]) || open(rig.receivers[1]))
      if (rig.poll() == 0) std::this_thread::yield();
  }
  for (const auto& child : children) REQUIRE(child->exit_code() == 0);
  REQUIRE(is_complete(rig.region, kOrigins, kTurns));
  REQUIRE(sum_of[0] + sum_of[1] == sum_of_tickets(kOrigins * kTurns));
}

TEST_CASE("an origin that is killed leaves a region of whole elements, and the others go on") {
  constexpr std::uint64_t kOnes = 0xffffffffffffffff;
  constexpr std::uint64_t kElements = 29;  // a bucket flips not all of them twice
  Rig rig(kConcurrentBytes, 2);
  Child victim([&] {
    auto updater = rig.open(0);
    // Flips every bit of one element after another: half an update would leave some of the bits.
    for (std::uint64_t k = 0;; ++k)
      if (!issue_patiently(**updater, onesided::accumulate<std::uint64_t>(Operation::kXor, 8 * (k % kElements), kOnes)))
        return 1;
  });
  const auto updater = need(rig.open(1));
  const auto seen = [&] {
    std::uint64_t bits = 0;
    for (std::uint64_t k = 0; k < kElements; ++k) bits |= rig.region.load<std::uint64_t>(8 * k);
    return bits != 0;
  };
  while (!seen()) rig.poll(), std::this_thread::yield();
  victim.kill();
  REQUIRE(WIFSIGNALED(victim.wait()));
  REQUIRE(rig.close_channel(0));
  for (int k = 0; k < 100; ++k) rig.poll();
  for (std::uint64_t k = 0; k < kElements; ++k) {
    const auto element = rig.region.load<std::uint64_t>(8 * k);
    REQUIRE((element == 0 || element == kOnes));
  }
  REQUIRE(rig.issue(*updater, onesided::put<std::uint64_t>(8, 42)) == Outcome::kOk);
  REQUIRE(rig.settle(*updater));
  REQUIRE(rig.region.load<std::uint64_t>(8) == 42);
}

}  // namespace woa::cts
