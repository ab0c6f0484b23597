// How the controllers of a run wait by default.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/transport/idle.h"

namespace woa {

// By controller. One that shares its processor with another does not spin: it would only take time from the one that
// has work. `processors`: those that controllers are pinned to; kNoProcessor or absent: not pinned. While one is not
// pinned, all do without spinning if there are more controllers than `usable` processors.
std::vector<IdleOptions> default_waits(const std::vector<int>& processors, std::size_t controllers, std::size_t usable);

}  // namespace woa
