#include "runtime/messaging/link.h"

#include <utility>

#include "runtime/transport/rendezvous.h"
#include "runtime/transport/replicas.h"

namespace woa::messaging {
namespace {

Result<BlockLayout> layout_of(const Transport& transport, const LinkShape& shape) {
  auto layout = BlockLayout::make(shape.blocks, shape.block_bytes, transport.header_room());
  if (!layout.ok()) return layout.status().with_context(std::string("link: lower ") + shape.to_lower);
  return layout;
}

Status allocate(Transport& transport, Result<std::uint64_t> bytes, std::string_view label,
                std::shared_ptr<Segment>& to) {
  if (!bytes.ok()) return bytes.status();
  auto segment = transport.allocate(label, *bytes);
  if (!segment.ok()) return segment.status();
  to = std::move(*segment);
  return {};
}

bool is_channel(const Transport& transport, const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) {
  const auto bytes = transport.channel_bytes(spec);
  return segment != nullptr && bytes.ok() && segment->bytes() == *bytes;
}

}  // namespace

std::vector<std::shared_ptr<Segment>> Link::segments() const {
  std::vector all{channel, blocks, returns, rendezvous};
  std::erase(all, nullptr);
  return all;
}

std::string Link::description() const { return describe_all(segments()); }

Status Link::connect(Transport& transport, std::string_view description) const {
  return connect_all(transport, segments(), description).with_context("link");
}

Status invalid_field(std::string_view field, std::uint32_t value, std::string_view expected) {
  return {Code::kInvalid,
          "link: " + std::string(field) + " is " + std::to_string(value) + "; it must be " + std::string(expected)};
}

ChannelSpec channel_of(const Transport& transport, std::uint32_t ring_slots, std::uint32_t return_slots) noexcept {
  return {.ring_slots = ring_slots,
          .return_slots = return_slots,
          .inline_bytes = 0,
          .header_crc = !shares_memory(transport)};
}

Result<Link> allocate_link(Transport& transport, const LinkShape& shape, std::string_view label) {
  const auto layout = layout_of(transport, shape);
  if (!layout.ok()) return layout.status();
  Link link;
  WOA_RETURN_IF_ERROR(allocate(transport, transport.channel_bytes(shape.channel), label, link.channel));
  if (shape.returns)
    WOA_RETURN_IF_ERROR(allocate(transport, transport.channel_bytes(*shape.returns), label, link.returns));
  if (shape.blocks != 0) WOA_RETURN_IF_ERROR(allocate(transport, layout->region_bytes(), label, link.blocks));
  if (shape.rendezvous)
    WOA_RETURN_IF_ERROR(
        allocate(transport, transport.rendezvous()->rendezvous_segment_bytes(), label, link.rendezvous));
  return link;
}

Result<CheckedLink> check_link(const Transport& transport, const LinkShape& shape, const Link& link, ChannelEnd end) {
  const auto layout = layout_of(transport, shape);
  if (!layout.ok()) return layout.status();
  const std::uint64_t bytes = link.blocks == nullptr ? 0 : link.blocks->bytes();
  if (!is_channel(transport, shape.channel, link.channel) || bytes != layout->region_bytes() ||
      (shape.returns && !is_channel(transport, *shape.returns, link.returns)))
    return {Code::kInvalid,
            "link: its segments are not of this spec; both ends must use the one that it was made with"};
  if ((link.rendezvous != nullptr) != shape.rendezvous)
    return {Code::kInvalid,
            "link: its rendezvous is not of this transport; open it over the one that it was made with"};
  end.regions.clear();
  CheckedLink checked{shape.channel, end, end, *layout};
  if (link.blocks != nullptr) checked.end.regions = {{0, shape.blocks, shape.block_bytes, link.blocks}};
  return checked;
}

}  // namespace woa::messaging
