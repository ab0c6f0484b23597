// What a packer and its unpacker share: a channel, and the blocks that carry the pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/transport/transport.h"

namespace woa::packing {

// Both ends must use the same.
struct LinkSpec {
  std::uint32_t blocks = 8;              // under way, being filled or being read
  std::uint32_t block_bytes = 64 << 10;  // a multiple of 64; a piece that is to be viewed must be 16 smaller, or less
  std::uint32_t later_pieces = 256;      // of one message whose memory is remembered until its end
};

// A value. Between processes the segments travel as descriptors (Segment::descriptor()).
struct Link {
  std::shared_ptr<Segment> channel, blocks;
};

// Allocates what `spec` needs. kInvalid names the field that is out of bounds, kUnsupported a transport whose ends do
// not map the same memory. Otherwise as Transport::allocate().
Result<Link> allocate_link(Transport& transport, const LinkSpec& spec, std::string_view label);

// --- internal to runtime/packing
// --------------------------------------------------------------------------------------

ChannelSpec channel_of(const LinkSpec& spec) noexcept;
// kInvalid if `link` is not of `spec`; kUnsupported as allocate_link().
Status check_link(const Transport& transport, const LinkSpec& spec, const Link& link);

// What a packet on the channel means. The channel carries messages only, so the header's fields need not say what they
// say between stages (docs/packet.md); the ring's own check of a header holds. All are activations without flags.
//
//   port           kMorePort, kLastPort: whether packets of this message follow
//   instance       number of the message on this link, from 0
//   payload_bytes  of the block that are used; 0 in a last packet that has none
//   offset         of the block, as everywhere
inline constexpr std::uint16_t kMorePort = 1;
inline constexpr std::uint16_t kLastPort = 2;

}  // namespace woa::packing
