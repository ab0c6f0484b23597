// A stream of payloads over a transport: what a producing and a consuming controller do to it, without controllers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/transport/shared_memory.h"

namespace woa::bench {

// Nanoseconds for `messages` times `payload`: copied once, into a block of a shared region, announced by an activation
// that names the block, touched there by the consumer, and given back. Errors as transport_hop_ns(), or kTooLarge: the
// blocks are beyond what a region can have.
Result<double> payload_stream_ns(SharedMemory& transport, std::uint32_t blocks, std::span<const std::byte> payload,
                                 std::uint64_t messages);

}  // namespace woa::bench
