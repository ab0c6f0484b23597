#include "runtime/transport/idle.h"

#include <sched.h>

#include "runtime/base/clock.h"
#include "runtime/base/pause.h"

namespace woa {

bool Idle::note_yield(std::uint64_t took_ns, std::uint64_t now_ns) noexcept {
  if (took_ns < options_.long_yield_ns) return true;
  if (took_ns <= saved_ns_) {
    saved_ns_ -= took_ns;
    return true;
  }
  saved_ns_ = 0;
  no_yields_until_ns_ = now_ns + kNoYieldsFor * took_ns;
  ++counts_.crowded;
  return false;
}

bool Idle::spin_or_yield() noexcept {
  if (yields_ >= options_.yields) return false;
  if (no_yields_until_ns_ != 0) {
    if (now_ns() < no_yields_until_ns_) return false;
    no_yields_until_ns_ = 0;
  }
  if (options_.spin_ns != 0 && spins_++ % kSpinsPerLook != 0) {
    pause_core();
    return true;
  }
  const std::uint64_t now = now_ns();
  if (idle_since_ns_ == 0) idle_since_ns_ = now;
  if (now - idle_since_ns_ < options_.spin_ns) {
    pause_core();
    return true;
  }
  ++yields_;
  ++counts_.yields;
  sched_yield();
  const std::uint64_t after = now_ns();
  return note_yield(after - now, after);
}

}  // namespace woa
