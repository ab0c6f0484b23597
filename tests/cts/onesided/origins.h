// Several origins at the same time, as threads or processes.
#pragma once

#include <thread>

#include "tests/cts/onesided/rig.h"

namespace woa::cts {

inline constexpr std::uint64_t kShared = 0, kTickets = 8, kLargest = 16, kSpread = 64;  // offsets
inline constexpr std::uint64_t kSpreadElements = 64;
inline constexpr std::uint64_t kConcurrentBytes = kSpread + 8 * kSpreadElements;

// Repeats the update until it is issued, while the owner works elsewhere. False: closed or refused.
inline bool issue_patiently(Updater& updater, const Update& update) {
  for (;;) {
    const Outcome outcome = updater.update(update);
    if (outcome != Outcome::kBackPressured) return outcome == Outcome::kOk;
    updater.flush();
    std::this_thread::yield();
  }
}

inline bool finish_patiently(Updater& updater) {
  while (updater.completed() != updater.issued()) {
    if (updater.flush() == Outcome::kClosed) return false;
    std::this_thread::yield();
  }
  return true;
}

// `turns` times: adds one to a shared element, fetches a ticket, adds one somewhere, and accumulates the largest
// number. Sums up its tickets.
inline bool run_origin(Updater& updater, std::uint32_t origin, std::uint64_t turns, std::uint64_t& tickets) {
  std::uint64_t taken = 0;
  std::array<std::uint64_t, 16> some{};
  const auto take = [&] {
    const std::size_t count = updater.take_results(some);
    for (std::size_t k = 0; k < count; ++k) tickets += some[k];
    taken += count;
  };
  for (std::uint64_t k = 0; k < turns; ++k) {
    if (!issue_patiently(updater, onesided::accumulate<std::uint64_t>(Operation::kSum, kShared, 1))) return false;
    Outcome outcome = updater.update(onesided::fetch_add<std::uint64_t>(kTickets, 1));
    for (; outcome == Outcome::kBackPressured;
         outcome = updater.update(onesided::fetch_add<std::uint64_t>(kTickets, 1))) {
      updater.flush();
      take();
      std::this_thread::yield();
    }
    if (outcome != Outcome::kOk) return false;
    const std::uint64_t at = kSpread + (k * 7 + origin) % kSpreadElements * 8;
    if (!issue_patiently(updater, onesided::accumulate<std::uint64_t>(Operation::kSum, at, 1))) return false;
    if (!issue_patiently(updater, onesided::accumulate<std::uint64_t>(Operation::kMax, kLargest, origin * turns + k)))
      return false;
  }
  if (!finish_patiently(updater)) return false;
  while (taken < turns) take();
  return true;
}

// True if the region holds the result of `origins` calls of run_origin().
inline bool is_complete(const Region& region, std::uint32_t origins, std::uint64_t turns) {
  std::uint64_t spread = 0;
  for (std::uint64_t k = 0; k < kSpreadElements; ++k) spread += region.load<std::uint64_t>(kSpread + 8 * k);
  return region.load<std::uint64_t>(kShared) == origins * turns &&
         region.load<std::uint64_t>(kTickets) == origins * turns && spread == origins * turns &&
         region.load<std::uint64_t>(kLargest) == origins * turns - 1;
}

// 0 + 1 + ... : the sum if every ticket was given once.
inline std::uint64_t sum_of_tickets(std::uint64_t count) { return count * (count - 1) / 2; }

}  // namespace woa::cts
