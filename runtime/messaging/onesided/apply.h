// Applies the updates of a bucket that an owner received. Internal to runtime/messaging/onesided.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/messaging/onesided/region.h"
#include "runtime/messaging/onesided/returns.h"
#include "runtime/messaging/onesided/update.h"

namespace woa::onesided {

struct Applied {
  std::size_t updates = 0;           // done, in order
  Refusal refusal = Refusal::kNone;  // why the next update, and with it the rest, was not done
  Update refused;                    // that update
};

// Does the updates of `units` in order until one breaks a rule. A broken origin may still write to the memory of
// `units`: each word is read once, checked, and only then used. Fetched values go to `returns`.
Applied apply(std::span<const Unit> units, const Region& region, Returns& returns) noexcept;

}  // namespace woa::onesided
