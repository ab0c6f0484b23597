// All ways at once on one coherent region, with the owner's own updates: each element ends as if they came one after
// another.
#include <atomic>
#include <thread>

#include "runtime/messaging/onesided/aggregated_updater.h"
#include "runtime/messaging/onesided/hardware_updater.h"
#include "runtime/messaging/onesided/naive_updater.h"
#include "runtime/messaging/onesided/update_receiver.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/catch.h"
#include "tests/support/need.h"

namespace woa::onesided {
namespace {

constexpr LinkSpec kSpec{.ring_slots = 16, .buckets = 2, .bucket_units = 16, .result_slots = 4};
constexpr std::uint64_t kElements = 4, kTurns = 30'000;  // few, so that they meet

// Issues one update for each turn, all of one kind, so that buckets are applied as runs.
template <Element Word>
bool issue_sums(Updater& updater, std::uint64_t first) {
  for (std::uint64_t k = 0; k < kTurns; ++k) {
    const Update update = accumulate<Word>(Operation::kSum, first + k % kElements * sizeof(Word), 1);
    Outcome outcome = updater.update(update);
    for (; outcome == Outcome::kBackPressured; outcome = updater.update(update)) std::this_thread::yield();
    if (outcome != Outcome::kOk) return false;
  }
  return true;
}

// Sums on 64-bit elements, then sums on the 32-bit ones behind them; once, and again until `enough`.
template <class Enough>
bool run(Updater& updater, Enough&& enough) {
  do {
    if (!issue_sums<std::uint64_t>(updater, 0) || !issue_sums<std::uint32_t>(updater, kElements * 8)) return false;
  } while (!enough());
  while (updater.completed() != updater.issued()) {
    if (updater.flush() == Outcome::kClosed) return false;
    std::this_thread::yield();
  }
  return updater.status().ok();
}

}  // namespace

TEST_CASE("naive, aggregated and hardware updates of one region, and its owner's, all count") {
  LoopbackTransport transport;
  const Region region = test::need(Region::make(transport, "region", kElements * 12, Sharing::kCoherent));
  const Destination destination{region.bytes().size(), {}};
  const Link one = test::need(allocate_link(transport, kSpec, "one")),
             other = test::need(allocate_link(transport, kSpec, "other"));
  const auto first = test::need(UpdateReceiver::open(transport, kSpec, one, region));
  const auto second = test::need(UpdateReceiver::open(transport, kSpec, other, region));
  std::vector<std::unique_ptr<Updater>> updaters;
  updaters.push_back(test::need(NaiveUpdater::open(transport, kSpec, one, destination)));
  updaters.push_back(test::need(AggregatedUpdater::open(transport, kSpec, other, destination)));
  updaters.push_back(test::need(HardwareUpdater::open(test::need(Region::attach(region.segment())), {})));
  std::atomic<std::uint64_t> done{0}, well{0};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < updaters.size(); ++k) {
    threads.emplace_back([&, &updater = *updaters[k], k] {
      // Hardware is the quickest: it goes on as long as the others do, or they would not meet.
      if (run(updater, [&] { return k != 2 || done >= 2; })) ++well;
      ++done;
    });
  }
  std::uint64_t own = 0;
  while (done < updaters.size()) {
    if (own < kTurns) region.perform(accumulate<std::uint64_t>(Operation::kSum, own++ % kElements * 8, 1));
    if (first->poll(64) + second->poll(64) == 0) std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(well == updaters.size());
  std::uint64_t sum64 = 0, sum32 = 0;
  for (std::uint64_t k = 0; k < kElements; ++k) {
    sum64 += region.load<std::uint64_t>(8 * k);
    sum32 += region.load<std::uint32_t>(kElements * 8 + 4 * k);
  }
  const std::uint64_t each = (updaters[0]->issued() + updaters[1]->issued() + updaters[2]->issued()) / 2;
  REQUIRE(each >= 3 * kTurns);
  REQUIRE(sum64 == each + own);
  REQUIRE(sum32 == each);
}

}  // namespace woa::onesided
