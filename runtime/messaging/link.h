// The memory that two ends share so that messages can travel from one to the other: a channel, the blocks that carry
// payloads, and a channel for returns and a rendezvous if used.
//
// If both ends map the same memory (loopback, shm), both use one link: between processes its segments travel as
// descriptors (each is a SharedSegment). If each end has a replica (ofi), each process allocates a link of the same
// spec, sends its description() to the other, and connects its own to the description that it gets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/memory/block_layout.h"
#include "runtime/transport/any_transport.h"

namespace woa::messaging {

// A value: copies name the same memory. With replicas the destructor of the last copy blocks until the other process
// has closed its end, 1 s at most. So close the ends of all links before you drop one.
struct Link {
  std::shared_ptr<Segment> channel, blocks;  // no `blocks` if the spec has 0
  std::shared_ptr<Segment> returns;          // a channel for returns; null if there are none
  std::shared_ptr<Replica> rendezvous;       // null if the transport has none, or nothing uses it

  // Opaque bytes, at most 4 KiB, by which the other process connects its link to this one. Empty if memory is shared.
  // Whoever has them can write into this link's memory: give them to that process only.
  [[nodiscard]] std::string description() const;
  // Once, before an end is opened; the other process does the same. Blocks until it answers, 10 s at most for each
  // segment. kInvalid: not a description, or one of another spec. Otherwise like Wire::connect().
  Status connect(Wire& wire, std::string_view description) const;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Replica>> replicas() const;
};

// --- internal to runtime/messaging
// --------------------------------------------------------------------------------------

// The memory of a link, as given by a spec of onesided or packing.
struct LinkShape {
  ChannelSpec channel;
  std::uint32_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::optional<ChannelSpec> returns = std::nullopt;
  bool rendezvous = false;
  const char* to_lower = "";  // fields of the spec to lower if packets cannot name so much memory
};

// kInvalid, for a field of a spec.
Status invalid_field(std::string_view field, std::uint32_t value, std::string_view expected);
// The channel that the transport needs: headers carry a CRC between hosts. Both counts are powers of two.
ChannelSpec channel_of(AnyTransport transport, std::uint32_t ring_slots, std::uint32_t return_slots) noexcept;

// Allocates the segments of `shape` at this end. kTooLarge: more memory than packets can name. Otherwise like
// the transport's allocate().
Result<Link> allocate_link(AnyTransport transport, const LinkShape& shape, std::string_view label);

// A link as the ends of its channels see it.
struct CheckedLink {
  ChannelSpec channel;
  std::vector<ChannelRegion> regions;  // the blocks as region 0, on a wire
  BlockLayout blocks;
};
// kInvalid if `link` is not of `shape` or of another kind of transport.
Result<CheckedLink> check_link(AnyTransport transport, const LinkShape& shape, const Link& link);

}  // namespace woa::messaging
