// One hop over a transport alone: commit and poll, without a controller.
#pragma once

#include <cstdint>

#include "runtime/base/status.h"

namespace woa::bench {

// One-way time in nanoseconds of a packet with `bytes` of inline payload over shm, between two processes pinned to
// processors 0 and 1 that poll: half a round trip, averaged over `round_trips`. `header_crc`: sealed and checked on the
// way. kUnavailable as raw_mailbox_ns(); kInvalid: the channel refused the size.
Result<double> transport_hop_ns(std::uint64_t bytes, bool header_crc, std::uint64_t round_trips);

}  // namespace woa::bench
