// How long a job of a peer may take before it counts as hung.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace woa::bench {

// `count` round trips or messages of `bytes`. On a loaded machine a round trip of the slowest peer took 280 us, and the
// slowest stream went at 0.3 GB/s. At most thirty years, which any clock can add.
inline std::chrono::milliseconds patience(std::uint64_t count, std::uint64_t bytes) {
  constexpr double kEach_ms = 0.3, kBytesPerMs = 100'000, kMost_ms = 1e12;
  const double all_ms = static_cast<double>(count) * (kEach_ms + static_cast<double>(bytes) / kBytesPerMs);
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(all_ms, kMost_ms)));
}

}  // namespace woa::bench
