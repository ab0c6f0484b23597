// What one origin and one owner share so that updates can travel in packets: a channel, the origin's buckets, and what
// comes back.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/transport/transport.h"

namespace woa::onesided {

// Both ends must use the same.
struct LinkSpec {
  std::uint32_t ring_slots = 64;        // packets under way; a power of two
  std::uint32_t buckets = 8;            // under way or being filled; 0 where every update is a packet of its own
  std::uint32_t bucket_updates = 1024;  // units of a bucket (update.h), 2 to 2^20
  std::uint32_t result_slots = 64;      // fetched values under way or not yet taken; a power of two
};

// A value. Between processes the segments travel as descriptors (Segment::descriptor()).
struct Link {
  std::shared_ptr<Segment> channel, buckets, returns;  // no `buckets` where the spec has 0
};

// Allocates what `spec` needs. kInvalid names the field that is out of bounds, kUnsupported a transport whose ends do
// not map the same memory. Otherwise as Transport::allocate().
Result<Link> allocate_link(Transport& transport, const LinkSpec& spec, std::string_view label);

// The parts of a link as its ends see them. kInvalid if `link` is not of `spec`. Internal to runtime/onesided.
ChannelSpec channel_of(const LinkSpec& spec) noexcept;
std::uint64_t bucket_bytes(const LinkSpec& spec) noexcept;
Status check_link(const LinkSpec& spec, const Link& link);

}  // namespace woa::onesided
