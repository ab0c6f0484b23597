#include "runtime/onesided/link.h"

#include <algorithm>
#include <bit>
#include <string>

#include "runtime/onesided/returns.h"
#include "runtime/onesided/update.h"

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

}  // namespace

ChannelSpec channel_of(const LinkSpec& spec) noexcept {
  return {.ring_slots = spec.ring_slots,
          .return_slots = std::bit_ceil(std::max(spec.buckets, 1U)),
          .inline_bytes = 0,
          .header_crc = false};
}

std::uint64_t bucket_bytes(const LinkSpec& spec) noexcept {
  const std::uint64_t bytes = std::uint64_t{spec.bucket_updates} * sizeof(Unit);
  return (bytes + kOffsetUnitBytes - 1) / kOffsetUnitBytes * kOffsetUnitBytes;
}

Result<Link> allocate_link(Transport& transport, const LinkSpec& spec, std::string_view label) {
  WOA_RETURN_IF_ERROR(check_spec(spec));
  WOA_RETURN_IF_ERROR(require_shared_memory(transport, "updates").with_context("link"));
  const auto channel_bytes = transport.channel_bytes(channel_of(spec));
  if (!channel_bytes.ok()) return channel_bytes.status();
  auto channel = transport.allocate(label, *channel_bytes);
  if (!channel.ok()) return channel.status();
  auto returns = transport.allocate(label, returns_bytes(spec.result_slots));
  if (!returns.ok()) return returns.status();
  Link link{std::move(*channel), nullptr, std::move(*returns)};
  if (spec.buckets == 0) return link;
  auto buckets = transport.allocate(label, spec.buckets * bucket_bytes(spec));
  if (!buckets.ok()) return buckets.status();
  link.buckets = std::move(*buckets);
  return link;
}

Status check_link(const LinkSpec& spec, const Link& link) {
  WOA_RETURN_IF_ERROR(check_spec(spec));
  const std::uint64_t buckets = link.buckets == nullptr ? 0 : link.buckets->bytes();
  if (link.channel != nullptr && link.returns != nullptr && buckets == spec.buckets * bucket_bytes(spec) &&
      link.returns->bytes() == returns_bytes(spec.result_slots))
    return {};
  return {Code::kInvalid, "link: its segments are not of this spec; both ends must use the one that it was made with"};
}

}  // namespace woa::onesided
