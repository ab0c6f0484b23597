// A stream of packets over a transport that are nothing but their header.
#pragma once

#include <cstdint>

#include "runtime/transport/transport.h"

namespace woa::bench {

// Nanoseconds for `messages` times `header` through a ring of `ring_slots` (a power of two); nobody looks for a
// payload. Errors as transport_hop_ns().
Result<double> header_stream_ns(Transport& transport, std::uint32_t ring_slots, const ActivationPacket& header,
                                std::uint64_t messages);

}  // namespace woa::bench
