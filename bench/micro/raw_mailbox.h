// The physical limit that a hop is held against: a single-producer single-consumer mailbox in shared memory, polled,
// nothing else.
#pragma once

#include <cstdint>

#include "runtime/base/status.h"

namespace woa::bench {

// One-way time in nanoseconds of a `bytes`-byte payload (at most 120) between two processes pinned to processors 0 and
// 1: half a round trip, averaged over `round_trips`. kUnavailable: there is no second processor, or the system refused
// memory or a process.
Result<double> raw_mailbox_ns(std::uint64_t bytes, std::uint64_t round_trips);

// "near" (two threads of one core) or "far" (two cores), from the one-way time of 8 to 64 bytes: 20 to 50 ns in the one
// state, over 120 in the other.
const char* host_state(double one_way_ns);

}  // namespace woa::bench
