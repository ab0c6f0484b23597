#include "runtime/packing/link.h"

#include <bit>

#include "runtime/transport/rendezvous.h"
#include "runtime/transport/replicas.h"

namespace woa::packing {
namespace {

constexpr std::uint32_t kMaxBlocks = 1U << 16;
constexpr std::uint32_t kMaxBlockBytes = 1U << 30;
constexpr std::uint32_t kMaxLaterPieces = 1U << 20;

Status invalid(std::string_view field, std::uint32_t value, std::string_view expected) {
  return {Code::kInvalid,
          "link: " + std::string(field) + " is " + std::to_string(value) + "; it must be " + std::string(expected)};
}

Status check_spec(const LinkSpec& spec) {
  if (spec.blocks == 0 || spec.blocks > kMaxBlocks) return invalid("blocks", spec.blocks, "from 1 to 65536");
  if (spec.block_bytes == 0 || spec.block_bytes % kOffsetUnitBytes != 0 || spec.block_bytes > kMaxBlockBytes)
    return invalid("block_bytes", spec.block_bytes, "a multiple of 64 from 64 to 1073741824");
  if (spec.later_pieces > kMaxLaterPieces) return invalid("later_pieces", spec.later_pieces, "at most 1048576");
  return {};
}

Result<BlockLayout> layout_of(const Transport& transport, const LinkSpec& spec) {
  WOA_RETURN_IF_ERROR(check_spec(spec));
  auto layout = BlockLayout::make(spec.blocks, spec.block_bytes, transport.header_room());
  if (!layout.ok()) return layout.status().with_context("link: lower blocks or block_bytes");
  return layout;
}

}  // namespace

std::vector<std::shared_ptr<Segment>> Link::segments() const {
  std::vector all{channel, blocks};
  if (rendezvous != nullptr) all.push_back(rendezvous);
  return all;
}

std::string Link::description() const { return describe_all(segments()); }

Status Link::connect(Transport& transport, std::string_view description) const {
  return connect_all(transport, segments(), description).with_context("link");
}

ChannelSpec channel_of(const Transport& transport, const LinkSpec& spec) noexcept {
  const std::uint32_t slots = std::bit_ceil(spec.blocks);
  return {.ring_slots = slots, .return_slots = slots, .inline_bytes = 0, .header_crc = !shares_memory(transport)};
}

Result<Link> allocate_link(Transport& transport, const LinkSpec& spec, std::string_view label) {
  const auto layout = layout_of(transport, spec);
  if (!layout.ok()) return layout.status();
  const auto channel_bytes = transport.channel_bytes(channel_of(transport, spec));
  if (!channel_bytes.ok()) return channel_bytes.status();
  auto channel = transport.allocate(label, *channel_bytes);
  if (!channel.ok()) return channel.status();
  auto blocks = transport.allocate(label, layout->region_bytes());
  if (!blocks.ok()) return blocks.status();
  Link link{std::move(*channel), std::move(*blocks), nullptr};
  if (transport.rendezvous() == nullptr) return link;
  auto lane = transport.allocate(label, transport.rendezvous()->lane_bytes());
  if (!lane.ok()) return lane.status();
  link.rendezvous = std::move(*lane);
  return link;
}

Result<CheckedLink> check_link(Transport& transport, const LinkSpec& spec, const Link& link, ChannelEnd end) {
  const auto layout = layout_of(transport, spec);
  if (!layout.ok()) return layout.status();
  if (link.channel == nullptr || link.blocks == nullptr || link.blocks->bytes() != layout->region_bytes())
    return {Code::kInvalid,
            "link: its segments are not of this spec; both ends must use the one that it was made with"};
  if ((link.rendezvous == nullptr) != (transport.rendezvous() == nullptr))
    return {Code::kInvalid,
            "link: its rendezvous is not of this transport; open it over the one that it was made with"};
  end.regions = {{0, spec.blocks, spec.block_bytes, link.blocks}};
  return CheckedLink{channel_of(transport, spec), std::move(end), *layout};
}

}  // namespace woa::packing
