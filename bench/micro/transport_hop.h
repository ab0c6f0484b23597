// One hop over a transport alone: commit and poll, without a controller.
#pragma once

#include <cstdint>

#include "runtime/transport/shared_memory.h"

namespace woa::bench {

// One-way time in nanoseconds of a packet with `bytes` of inline payload between two pinned processes that poll: half a
// round trip, averaged over `round_trips`. `header_crc`: sealed and checked on the way. Errors as raw_mailbox_ns(), or
// kInvalid: the channel refused the size, and kUnsupported: the transport does not cross processes.
Result<double> transport_hop_ns(SharedMemory& transport, std::uint64_t bytes, bool header_crc,
                                std::uint64_t round_trips);

}  // namespace woa::bench
