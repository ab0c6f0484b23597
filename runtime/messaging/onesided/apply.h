// How an owner does the updates of a bucket that it was sent. Internal to runtime/messaging/onesided.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/messaging/onesided/region.h"
#include "runtime/messaging/onesided/returns.h"
#include "runtime/messaging/onesided/update.h"

namespace woa::onesided {

struct Applied {
  std::size_t updates = 0;           // done, in order
  Refusal refusal = Refusal::kNone;  // why the next one, and with it the rest, was not
  Update refused;                    // that one
};

// Does the updates of `units` in order until one breaks a rule. `units` may lie in memory that a broken origin still
// writes to: each word is read once, checked, and only then used. Fetched values go to `returns`.
Applied apply(std::span<const Unit> units, const Region& region, Returns& returns) noexcept;

}  // namespace woa::onesided
