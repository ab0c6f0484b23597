#include "runtime/messaging/onesided/link.h"

#include <algorithm>
#include <bit>

namespace woa::onesided {
namespace {

using messaging::LinkShape;
constexpr std::uint32_t kMaxBuckets = 1U << 16;
constexpr std::uint32_t kMaxBucketUpdates = 1U << 20;
constexpr std::uint32_t kMaxResultSlots = 1U << 20;

Result<LinkShape> shape_of(AnyTransport transport, const LinkSpec& spec) {  // the channel checks ring_slots
  using messaging::invalid_field;
  if (spec.buckets > kMaxBuckets) return invalid_field("buckets", spec.buckets, "at most 65536");
  if (spec.bucket_units < 2 || spec.bucket_units > kMaxBucketUpdates)
    return invalid_field("bucket_units", spec.bucket_units, "from 2 to 1048576");
  if (!std::has_single_bit(spec.result_slots) || spec.result_slots > kMaxResultSlots)
    return invalid_field("result_slots", spec.result_slots, "a power of two from 1 to 1048576");
  LinkShape shape{channel_of(transport, spec), spec.buckets, bucket_bytes(spec)};
  shape.returns = returns_channel_of(transport, spec.result_slots);
  shape.to_lower = "buckets or bucket_units";
  return shape;
}

}  // namespace

ChannelSpec channel_of(AnyTransport transport, const LinkSpec& spec) noexcept {
  return messaging::channel_of(transport, spec.ring_slots, std::bit_ceil(std::max(spec.buckets, 1U)));
}

ChannelSpec returns_channel_of(AnyTransport transport, std::uint32_t result_slots) noexcept {
  ChannelSpec channel = messaging::channel_of(transport, result_slots, 1);
  channel.inline_bytes = kReturnInlineBytes;
  return channel;
}

std::uint64_t bucket_bytes(const LinkSpec& spec) noexcept {
  const std::uint64_t bytes = std::uint64_t{spec.bucket_units} * sizeof(Unit);
  return (bytes + kOffsetUnitBytes - 1) / kOffsetUnitBytes * kOffsetUnitBytes;
}

Result<Link> allocate_link(AnyTransport transport, const LinkSpec& spec, std::string_view label) {
  const auto shape = shape_of(transport, spec);
  return shape.ok() ? messaging::allocate_link(transport, *shape, label) : shape.status();
}

Result<CheckedLink> check_link(AnyTransport transport, const LinkSpec& spec, const Link& link) {
  const auto shape = shape_of(transport, spec);
  return shape.ok() ? messaging::check_link(transport, *shape, link) : shape.status();
}

}  // namespace woa::onesided
