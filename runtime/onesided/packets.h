// What a packet on the channel of a link means. Internal to runtime/onesided.
//
// The channel carries updates only, so the header's fields need not say what they say between stages (docs/packet.md);
// the ring's own check of a header holds. All packets are activations in host memory, without flags but that of a CRC.
// What comes back has a channel of its own (returns.h).
//
//   field          one update                  a bucket
//   port           kUpdatePort                 kBucketPort
//   instance       place (update.h)            0
//   tag            operand                     0
//   deadline       expected value              0
//   payload_bytes  bytes of the element        bytes of the units
//   region         0                           0
//   offset         0                           of the bucket, as everywhere
#pragma once

#include <cstdint>

#include "runtime/onesided/update.h"
#include "runtime/packet/activation_packet.h"

namespace woa::onesided {

inline constexpr std::uint16_t kUpdatePort = 1;
inline constexpr std::uint16_t kBucketPort = 2;
inline constexpr std::uint16_t kReturnPort = 3;

// A header that lacks only what differs from packet to packet.
inline ActivationPacket packet_to(std::uint16_t port) noexcept {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  packet.port = port;
  return packet;
}

inline bool is_activation_in_memory(const ActivationPacket& packet) noexcept {
  return packet.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && (packet.flags & ~kHeaderCrc) == 0 &&
         packet.device == static_cast<std::uint8_t>(MemoryKind::kCpu) && packet.region == 0;
}

}  // namespace woa::onesided
