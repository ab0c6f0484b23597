// The physical limit that a hop is held against: a single-producer single-consumer mailbox in shared memory, polled,
// nothing else.
#pragma once

#include <cstdint>

#include "runtime/base/status.h"

namespace woa::measure {

// One-way time in nanoseconds of a `bytes`-byte payload (at most 120) between two pinned processes (pinned_group.h):
// half a round trip, averaged over `round_trips`. kUnavailable: as PinnedPair. kExhausted: no memory. kPeerLost: the
// other process ended early.
Result<double> raw_mailbox_ns(std::uint64_t bytes, std::uint64_t round_trips);

}  // namespace woa::measure
