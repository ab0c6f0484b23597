// How the processes of a benchmark wait for each other: polling, but not for ever.
#pragma once

#include <sched.h>

#include <cstdint>

#include "runtime/base/clock.h"
#include "runtime/base/pause.h"

namespace woa::measure {

// Polls `ready` until it answers true. False after ten seconds in vain: the other process is gone.
template <class Ready>
[[nodiscard]] bool spin_until(Ready&& ready) {
  constexpr std::uint32_t kSpinsPerLook = 1U << 16;  // at the clock, which is slower than a poll
  constexpr std::uint64_t kPatience_ns = 10'000'000'000;
  std::uint64_t deadline_ns = 0;
  for (std::uint32_t spins = 1; !ready(); ++spins) {
    pause_core();
    if (spins % kSpinsPerLook != 0) continue;
    const std::uint64_t now = now_ns();
    if (deadline_ns == 0) deadline_ns = now + kPatience_ns;
    if (now > deadline_ns) return false;
  }
  return true;
}

// spin_until() for more polling processes than processors: after a while each look gives the others a chance.
template <class Ready>
[[nodiscard]] bool yield_until(Ready&& ready) {
  constexpr int kSpins = 64;
  for (int spins = 0; spins < kSpins; ++spins) {
    if (ready()) return true;
    pause_core();
  }
  return spin_until([&] {
    if (ready()) return true;
    sched_yield();
    return false;
  });
}

}  // namespace woa::measure
