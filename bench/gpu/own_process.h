// Each launch of a GPU contender has a process of its own: it wakes the driver there, and this process, which has never
// done so, may fork again.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/base/status.h"

namespace woa::bench {

using Figures = std::vector<double>;

inline constexpr std::uint64_t kWarmUp = 4;  // packets of a launch before its clock runs: until every block was used

// Calls `launch` in a child of this process, and returns its result. kUnavailable: as run_in_child().
Result<Figures> in_own_process(const std::function<Result<Figures>()>& launch);

}  // namespace woa::bench
