// The link of a packer and its unpacker: a channel, the blocks that carry the pieces, and a rendezvous if the transport
// has one.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/messaging/link.h"
#include "runtime/packet/activation_packet.h"

namespace woa::packing {

using messaging::CheckedLink;
using messaging::Link;

// From this size on a rendezvous takes less time than the copies that it saves
// (docs/adr/0023-rendezvous-for-packed-messages.md; `woa bench packing` measures both).
inline constexpr std::uint64_t kRendezvousBytes = 256 << 10;

// Both ends must use the same spec, except rendezvous_bytes: only the sender's counts.
struct LinkSpec {
  std::uint32_t blocks = 8;              // under way, being filled or being read
  std::uint32_t block_bytes = 64 << 10;  // a multiple of 64; a piece that is viewed must be at least 16 smaller
  std::uint32_t later_pieces = 256;      // pieces of one message remembered until its end, at most
  // If the transport has a rendezvous (ofi): pieces of at least so many bytes that the sender sends *cheaper* or
  // *later*, and that no block holds, go from its memory straight into the receiver's.
  std::uint64_t rendezvous_bytes = kRendezvousBytes;
};
inline constexpr std::uint64_t kNoRendezvous = ~std::uint64_t{0};

// Allocates the segments of `spec` at this end. kInvalid names the field that is out of bounds, kTooLarge means more
// memory than packets can name. Otherwise like the transport's allocate().
Result<Link> allocate_link(AnyTransport transport, const LinkSpec& spec, std::string_view label);

// --- internal to runtime/messaging/packing
// --------------------------------------------------------------------------------------

ChannelSpec channel_of(AnyTransport transport, const LinkSpec& spec) noexcept;
// Like messaging::check_link(), for this spec.
Result<CheckedLink> check_link(AnyTransport transport, const LinkSpec& spec, const Link& link);

// The meaning of packets on the channel. The channel carries messages only, so the header's fields differ from those
// between stages (docs/packet.md); the ring's own check of a header holds. All are activations without flags.
//
//   port           kMorePort, kLastPort: whether packets of this message follow
//   instance       number of the message on this link, from 0
//   payload_bytes  of the block that are used; 0 in a last packet that has none
//   offset         of the block, as everywhere
inline constexpr std::uint16_t kMorePort = 1;
inline constexpr std::uint16_t kLastPort = 2;

}  // namespace woa::packing
