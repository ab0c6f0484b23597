// What a hop costs the controllers' own code: both sides in one thread, so that no cache line changes its core.
#pragma once

#include <cstdint>

#include "runtime/node/run.h"

namespace woa::bench {

// Two controllers that send each other a token of `bytes` (at least 8) `hops` times, inline, in ns per hop. Errors: as
// Run::start.
Result<double> one_thread_hop_ns(const RunOptions& options, std::uint64_t bytes, std::uint64_t hops);

}  // namespace woa::bench
