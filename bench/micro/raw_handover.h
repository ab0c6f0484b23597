// The physical limit of a hand-over: a flag in shared memory that follows a payload which was just written.
#pragma once

#include <cstdint>

#include "runtime/base/status.h"

namespace woa::bench {

// Nanoseconds from the moment when the process on processor 0 has copied `bytes` into shared memory until the one on
// processor 1, which polls a flag, sees it: the median of `payloads`, by the clock that both read. Behind a large
// payload that is more than a hop, because what was written leaves the processor first. kUnavailable, kExhausted,
// kPeerLost: as raw_mailbox_ns().
Result<double> raw_handover_ns(std::uint64_t bytes, std::uint64_t payloads);

}  // namespace woa::bench
