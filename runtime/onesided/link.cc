#include "runtime/onesided/link.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "runtime/onesided/returns.h"
#include "runtime/onesided/update.h"
#include "runtime/transport/replicas.h"

namespace woa::onesided {
namespace {

constexpr std::uint32_t kMaxBuckets = 1U << 16;
constexpr std::uint32_t kMaxBucketUpdates = 1U << 20;
constexpr std::uint32_t kMaxResultSlots = 1U << 20;

Status invalid(std::string_view field, std::uint32_t value, std::string_view expected) {
  return {Code::kInvalid,
          "link: " + std::string(field) + " is " + std::to_string(value) + "; it must be " + std::string(expected)};
}

Status check_spec(const LinkSpec& spec) {  // the channel checks ring_slots
  if (spec.buckets > kMaxBuckets) return invalid("buckets", spec.buckets, "at most 65536");
  if (spec.bucket_updates < 2 || spec.bucket_updates > kMaxBucketUpdates)
    return invalid("bucket_updates", spec.bucket_updates, "from 2 to 1048576");
  if (!std::has_single_bit(spec.result_slots) || spec.result_slots > kMaxResultSlots)
    return invalid("result_slots", spec.result_slots, "a power of two from 1 to 1048576");
  return {};
}

Result<BlockLayout> layout_of(const Transport& transport, const LinkSpec& spec) {
  WOA_RETURN_IF_ERROR(check_spec(spec));
  auto layout = BlockLayout::make(spec.buckets, bucket_bytes(spec), transport.header_room());
  if (!layout.ok()) return layout.status().with_context("link: lower buckets or bucket_updates");
  return layout;
}

std::vector<std::shared_ptr<Segment>> segments_of(const Link& link) {
  std::vector<std::shared_ptr<Segment>> segments{link.channel, link.returns};
  if (link.buckets != nullptr) segments.push_back(link.buckets);
  return segments;
}

Result<std::shared_ptr<Segment>> allocate_channel(Transport& transport, const ChannelSpec& spec,
                                                  std::string_view label) {
  const auto bytes = transport.channel_bytes(spec);
  if (!bytes.ok()) return bytes.status();
  return transport.allocate(label, *bytes);
}

bool is_channel(const Transport& transport, const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) {
  const auto bytes = transport.channel_bytes(spec);
  return segment != nullptr && bytes.ok() && segment->bytes() == *bytes;
}

}  // namespace

std::string Link::description() const { return describe_all(segments_of(*this)); }

Status Link::connect(Transport& transport, std::string_view description) const {
  return connect_all(transport, segments_of(*this), description).with_context("link");
}

ChannelSpec channel_of(const Transport& transport, const LinkSpec& spec) noexcept {
  return {.ring_slots = spec.ring_slots,
          .return_slots = std::bit_ceil(std::max(spec.buckets, 1U)),
          .inline_bytes = 0,
          .header_crc = !shares_memory(transport)};
}

std::uint64_t bucket_bytes(const LinkSpec& spec) noexcept {
  const std::uint64_t bytes = std::uint64_t{spec.bucket_updates} * sizeof(Unit);
  return (bytes + kOffsetUnitBytes - 1) / kOffsetUnitBytes * kOffsetUnitBytes;
}

Result<Link> allocate_link(Transport& transport, const LinkSpec& spec, std::string_view label) {
  const auto layout = layout_of(transport, spec);
  if (!layout.ok()) return layout.status();
  auto channel = allocate_channel(transport, channel_of(transport, spec), label);
  if (!channel.ok()) return channel.status();
  auto returns = allocate_channel(transport, returns_channel_of(transport, spec.result_slots), label);
  if (!returns.ok()) return returns.status();
  Link link{std::move(*channel), nullptr, std::move(*returns)};
  if (spec.buckets == 0) return link;
  auto buckets = transport.allocate(label, layout->region_bytes());
  if (!buckets.ok()) return buckets.status();
  link.buckets = std::move(*buckets);
  return link;
}

Result<CheckedLink> check_link(const Transport& transport, const LinkSpec& spec, const Link& link, ChannelEnd end) {
  const auto layout = layout_of(transport, spec);
  if (!layout.ok()) return layout.status();
  const ChannelSpec channel = channel_of(transport, spec);
  const std::uint64_t buckets = link.buckets == nullptr ? 0 : link.buckets->bytes();
  if (!is_channel(transport, channel, link.channel) || buckets != layout->region_bytes() ||
      !is_channel(transport, returns_channel_of(transport, spec.result_slots), link.returns))
    return {Code::kInvalid,
            "link: its segments are not of this spec; both ends must use the one that it was made with"};
  end.regions.clear();
  CheckedLink checked{channel, end, end, *layout};
  if (link.buckets != nullptr) checked.end.regions = {{0, spec.buckets, bucket_bytes(spec), link.buckets}};
  return checked;
}

}  // namespace woa::onesided
