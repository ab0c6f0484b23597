// A stream of packets over a transport, with a payload inline or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/transport/shared_memory.h"

namespace woa::bench {

// Nanoseconds for `messages` times `header`, with `inline_payload` behind it, through a ring of `ring_slots` (a power
// of two). The consumer reads both ends of an inline payload, and looks for no other. Errors: as transport_hop_ns().
Result<double> packet_stream_ns(SharedMemory& transport, std::uint32_t ring_slots, const ActivationPacket& header,
                                std::span<const std::byte> inline_payload, std::uint64_t messages);

}  // namespace woa::bench
