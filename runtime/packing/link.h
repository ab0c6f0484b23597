// What a packer and its unpacker share: a channel, and the blocks that carry the pieces.
//
// Where both ends map the same memory (loopback, shm) there is one link, which both use: between processes its segments
// travel as descriptors (Segment::descriptor()). Where each end has a replica (ofi), each process allocates a link of
// the same spec, sends its description() to the other, and connects its own to what comes back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/transport/block_layout.h"
#include "runtime/transport/transport.h"

namespace woa::packing {

// From here on a rendezvous takes less time than the copies that it saves
// (docs/adr/0023-rendezvous-for-packed-messages.md; `woa bench packing` measures both).
inline constexpr std::uint64_t kRendezvousBytes = 256 << 10;

// Both ends must use the same.
struct LinkSpec {
  std::uint32_t blocks = 8;              // under way, being filled or being read
  std::uint32_t block_bytes = 64 << 10;  // a multiple of 64; a piece that is to be viewed must be 16 smaller, or less
  std::uint32_t later_pieces = 256;      // of one message whose memory is remembered until its end
  // Over transports that have a rendezvous (ofi): pieces of so many bytes that are *cheaper* or *later* at the sender,
  // and that no block holds, go from its memory straight into the receiver's. The sender's counts: the receiver
  // follows.
  std::uint64_t rendezvous_bytes = kRendezvousBytes;
};
inline constexpr std::uint64_t kNoRendezvous = ~std::uint64_t{0};

// A value: copies name the same memory.
struct Link {
  std::shared_ptr<Segment> channel, blocks;
  std::shared_ptr<Segment> rendezvous;  // null where the transport has none

  [[nodiscard]] std::vector<std::shared_ptr<Segment>> segments() const;

  // What the other process connects its link to this one by: opaque bytes, at most 3 KiB. Empty where memory is shared.
  // Whoever has it can write into this link's memory: it goes to that process only.
  [[nodiscard]] std::string description() const;
  // Once, before an end is opened; the other process does the same. Waits until it answers. kInvalid: no such
  // description, or of a link of another spec. Otherwise as Transport::connect().
  Status connect(Transport& transport, std::string_view description) const;
};

// Allocates what `spec` needs at this end. kInvalid names the field that is out of bounds, kTooLarge more memory than
// packets can name. Otherwise as Transport::allocate().
Result<Link> allocate_link(Transport& transport, const LinkSpec& spec, std::string_view label);

// --- internal to runtime/packing
// --------------------------------------------------------------------------------------

// As this transport needs it: headers carry a CRC where they travel between hosts.
ChannelSpec channel_of(const Transport& transport, const LinkSpec& spec) noexcept;
// `link` as the ends of its channel see it.
struct CheckedLink {
  ChannelSpec channel;
  ChannelEnd end;  // with the blocks as region 0
  BlockLayout blocks;
};
// `end` brings the doorbells. kInvalid if `link` is not of `spec` or of another kind of transport.
Result<CheckedLink> check_link(Transport& transport, const LinkSpec& spec, const Link& link, ChannelEnd end);

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
