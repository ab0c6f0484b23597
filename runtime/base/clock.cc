#include "runtime/base/clock.h"

#include <atomic>
#include <ctime>

namespace woa {
namespace {

std::atomic<std::int64_t> ahead_of_monotonic_ns{0};

}  // namespace

std::uint64_t now_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t here = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  return static_cast<std::uint64_t>(here + ahead_of_monotonic_ns.load(std::memory_order_relaxed));
}

void set_clock_ahead(std::int64_t ahead_ns) noexcept {
  ahead_of_monotonic_ns.store(ahead_ns, std::memory_order_relaxed);
}

std::int64_t clock_ahead_ns() noexcept { return ahead_of_monotonic_ns.load(std::memory_order_relaxed); }

}  // namespace woa
