// What one origin and one owner share so that updates can travel in packets: a channel, the origin's buckets, and a
// channel for what comes back.
//
// Where both ends map the same memory (loopback, shm) there is one link, which both use: between processes its segments
// travel as descriptors (Segment::descriptor()). Where each end has a replica (ofi), each process allocates a link of
// the same spec, sends its description() to the other, and connects its own to what comes back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/transport/block_layout.h"
#include "runtime/transport/transport.h"

namespace woa::onesided {

// Both ends must use the same.
struct LinkSpec {
  std::uint32_t ring_slots = 64;        // packets under way; a power of two
  std::uint32_t buckets = 8;            // under way or being filled; 0 where every update is a packet of its own
  std::uint32_t bucket_updates = 1024;  // units of a bucket (update.h), 2 to 2^20
  std::uint32_t result_slots = 64;      // fetched values under way or not yet taken; a power of two
};

// A value: copies name the same memory. Where each end has a replica, the last copy of a link, if both of its ends were
// closed here, waits until the other process has closed its own, a second at most: who has ends of several links closes
// all of them before it lets go of a link.
struct Link {
  std::shared_ptr<Segment> channel, buckets, returns;  // no `buckets` where the spec has 0

  // What the other process connects its link to this one by: opaque bytes, at most 4 KiB. Empty where memory is shared.
  // Whoever has it can write into this link's memory: it goes to that process only.
  [[nodiscard]] std::string description() const;
  // Once, before an end is opened; the other process does the same. Waits until it answers. kInvalid: no such
  // description, or of a link of another spec. Otherwise as Transport::connect().
  Status connect(Transport& transport, std::string_view description) const;
};

// Allocates what `spec` needs at this end. kInvalid names the field that is out of bounds, kTooLarge more memory than
// packets can name. Otherwise as Transport::allocate().
Result<Link> allocate_link(Transport& transport, const LinkSpec& spec, std::string_view label);

// --- internal to runtime/onesided
// --------------------------------------------------------------------------------------

// As this transport needs it: headers carry a CRC where they travel between hosts.
ChannelSpec channel_of(const Transport& transport, const LinkSpec& spec) noexcept;
std::uint64_t bucket_bytes(const LinkSpec& spec) noexcept;
// `link` as the ends of its channels see it.
struct CheckedLink {
  ChannelSpec channel;
  ChannelEnd end;          // with the buckets as region 0
  ChannelEnd returns_end;  // without
  BlockLayout buckets;
};
// `end` brings the doorbells. kInvalid if `link` is not of `spec`.
Result<CheckedLink> check_link(const Transport& transport, const LinkSpec& spec, const Link& link, ChannelEnd end);

}  // namespace woa::onesided
