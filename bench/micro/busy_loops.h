// Programs of others that want the processors: child processes that only compute.
#pragma once

#include <cstdint>

#include "runtime/measure/pinned_group.h"

namespace woa::bench {

struct BusyLoops {
  std::uint32_t count = 0;
  int nicer = 0;  // added to the nice value of this process, 0 to 19
};

// Until the group is destroyed, or this process ends in whatever way. Errors: as measure::PinnedGroup::start().
Result<measure::PinnedGroup> start_busy_loops(const BusyLoops& loops);

}  // namespace woa::bench
