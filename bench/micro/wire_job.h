// The job of a benchmark over a wire, raw or by the transport.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "bench/micro/sides.h"

namespace woa::bench {

struct WireJob {
  std::string provider;
  std::uint64_t bytes = 0;  // of a payload
  std::uint32_t slots = 1;
  std::uint64_t messages = 0;  // or round trips
  bool wakeable = false;       // raw job only: a descriptor signals arrivals, like the one that ours sleeps on
};

// The warm-up lasts until both sides are connected and awake; a few large messages suffice.
inline SidesJob sides_of(const WireJob& job) {
  return {std::min<std::uint64_t>(200, job.messages), job.messages, {0, 1}};
}

}  // namespace woa::bench
