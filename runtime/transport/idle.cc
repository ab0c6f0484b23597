#include "runtime/transport/idle.h"

#include <sched.h>

#include "runtime/base/clock.h"
#include "runtime/base/pause.h"

namespace woa {

bool Idle::spin_or_yield() noexcept {
  if (yields_ >= options_.yields) return false;
  if (account_.has_paused() && account_.pauses(now_ns())) return false;
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
  if (after - now < options_.long_yield_ns || account_.pay(after - now, after)) return true;
  ++counts_.crowded;
  return false;
}

}  // namespace woa
