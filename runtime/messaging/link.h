// What two ends share so that messages can travel from one to the other: a channel, the blocks that carry payloads, and
// what comes back or goes beside them.
//
// Where both ends map the same memory (loopback, shm) there is one link, which both use: between processes its segments
// travel as descriptors (Segment::descriptor()). Where each end has a replica (ofi), each process allocates a link of
// the same spec, sends its description() to the other, and connects its own to what comes back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/transport/block_layout.h"
#include "runtime/transport/transport.h"

namespace woa::messaging {

// A value: copies name the same memory. Where each end has a replica, the last copy of a link, if both of its ends were
// closed here, waits until the other process has closed its own, a second at most: who has ends of several links closes
// all of them before it lets go of a link.
struct Link {
  std::shared_ptr<Segment> channel, blocks;  // no `blocks` where the spec has 0
  std::shared_ptr<Segment> returns;          // a channel for what comes back; null where nothing does
  std::shared_ptr<Segment> rendezvous;       // null where the transport has none, or nothing uses it

  // What the other process connects its link to this one by: opaque bytes, at most 4 KiB. Empty where memory is shared.
  // Whoever has it can write into this link's memory: it goes to that process only.
  [[nodiscard]] std::string description() const;
  // Once, before an end is opened; the other process does the same. Waits until it answers. kInvalid: no such
  // description, or of a link of another spec. Otherwise as Transport::connect().
  Status connect(Transport& transport, std::string_view description) const;

 private:
  [[nodiscard]] std::vector<std::shared_ptr<Segment>> segments() const;
};

// --- internal to runtime/messaging
// --------------------------------------------------------------------------------------

// The memory of a link, as a spec of onesided or packing says it.
struct LinkShape {
  ChannelSpec channel;
  std::uint32_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::optional<ChannelSpec> returns = std::nullopt;
  bool rendezvous = false;
  const char* to_lower = "";  // fields of the spec, where packets cannot name so much memory
};

// kInvalid, for a field of a spec.
Status invalid_field(std::string_view field, std::uint32_t value, std::string_view expected);
// As this transport needs it: headers carry a CRC where they travel between hosts. Both counts are powers of two.
ChannelSpec channel_of(const Transport& transport, std::uint32_t ring_slots, std::uint32_t return_slots) noexcept;

// Allocates what `shape` needs at this end. kTooLarge: more memory than packets can name. Otherwise as
// Transport::allocate().
Result<Link> allocate_link(Transport& transport, const LinkShape& shape, std::string_view label);

// A link as the ends of its channels see it.
struct CheckedLink {
  ChannelSpec channel;
  ChannelEnd end;          // with the blocks as region 0
  ChannelEnd returns_end;  // without
  BlockLayout blocks;
};
// `end` brings the doorbells. kInvalid if `link` is not of `shape` or of another kind of transport.
Result<CheckedLink> check_link(const Transport& transport, const LinkShape& shape, const Link& link, ChannelEnd end);

}  // namespace woa::messaging
