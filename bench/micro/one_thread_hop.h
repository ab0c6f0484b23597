// The cost of a hop in the controllers' own code: both sides run in one thread, so no cache line changes its core.
#pragma once

#include <cstdint>

#include "runtime/node/run.h"

namespace woa::bench {

// Two controllers send each other an inline token of `bytes` (at least 8) `hops` times; ns per hop. Errors: as
// Run::start().
Result<double> one_thread_hop_ns(const RunOptions& options, std::uint64_t bytes, std::uint64_t hops);

}  // namespace woa::bench
