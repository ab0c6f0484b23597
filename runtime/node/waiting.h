// How the controllers of a run wait by default.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/base/processor.h"
#include "runtime/transport/idle.h"

namespace woa {

// By controller. One that shares its processor with another does not spin: it would only take time from the one that
// has work. `processors`: those that controllers are pinned to, none or absent: not pinned; one that more controllers
// have among theirs than it has processors shares one. While one is not pinned, all do without spinning if there are
// more controllers than `usable` processors.
std::vector<IdleOptions> default_waits(const std::vector<Processors>& processors, std::size_t controllers,
                                       std::size_t usable);
// The controllers that have one of these processors among theirs.
std::size_t count_on(const Processors& these, const std::vector<Processors>& processors);

}  // namespace woa
