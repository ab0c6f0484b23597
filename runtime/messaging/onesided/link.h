// The link of one origin and one owner, which carries updates in packets: a channel, the origin's buckets as its
// blocks, and a channel for returns.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/messaging/link.h"
#include "runtime/messaging/onesided/update.h"
#include "runtime/packet/activation_packet.h"

namespace woa::onesided {

using messaging::CheckedLink;
using messaging::Link;

// Both ends must use the same spec.
struct LinkSpec {
  std::uint32_t ring_slots = 64;      // packets under way; a power of two
  std::uint32_t buckets = 8;          // under way or being filled; 0 if every update is a packet of its own
  std::uint32_t bucket_units = 1024;  // units of a bucket (update.h), 2 to 2^20
  std::uint32_t result_slots = 64;    // fetched values under way or not yet taken; a power of two
};

// Allocates the segments of `spec` at this end. kInvalid names the field that is out of bounds, kTooLarge means more
// memory than packets can name. Otherwise like the transport's allocate().
Result<Link> allocate_link(AnyTransport transport, const LinkSpec& spec, std::string_view label);

// --- internal to runtime/messaging/onesided
// --------------------------------------------------------------------------------------

ChannelSpec channel_of(AnyTransport transport, const LinkSpec& spec) noexcept;
ChannelSpec returns_channel_of(AnyTransport transport, std::uint32_t result_slots) noexcept;
std::uint64_t bucket_bytes(const LinkSpec& spec) noexcept;
// Like messaging::check_link(), for this spec.
Result<CheckedLink> check_link(AnyTransport transport, const LinkSpec& spec, const Link& link);

// The meaning of packets on the channel.
//
// The channel carries updates only, so the header's fields differ from those between stages (docs/packet.md); the
// ring's own check of a header holds. All packets are activations in host memory, without flags except that of a CRC.
// Returns have a channel of their own (returns.h).
//
//   field          one update                  a bucket
//   port           kUpdatePort                 kBucketPort
//   instance       place (update.h)            0
//   tag            operand                     0
//   deadline       expected value              0
//   payload_bytes  bytes of the element        bytes of the units
//   region         0                           0
//   offset         0                           of the bucket, as everywhere
inline constexpr std::uint16_t kUpdatePort = 1;
inline constexpr std::uint16_t kBucketPort = 2;
inline constexpr std::uint16_t kReturnPort = 3;
inline constexpr std::uint32_t kReturnInlineBytes = 64;

// A header without the fields that differ from packet to packet.
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
