#include "runtime/messaging/link.h"

#include <utility>

#include "runtime/transport/rendezvous.h"

namespace woa::messaging {
namespace {

Result<BlockLayout> layout_of(AnyTransport transport, const LinkShape& shape) {
  auto layout = BlockLayout::make(shape.blocks, shape.block_bytes, transport.header_room());
  if (!layout.ok()) return layout.status().with_context(std::string("link: lower ") + shape.to_lower);
  return layout;
}

Status allocate(AnyTransport transport, Result<std::uint64_t> bytes, std::string_view label,
                std::shared_ptr<Segment>& to) {
  if (!bytes.ok()) return bytes.status();
  auto segment = transport.allocate(label, *bytes);
  if (!segment.ok()) return segment.status();
  to = std::move(*segment);
  return {};
}

bool is_channel(AnyTransport transport, const ChannelSpec& spec, const std::shared_ptr<Segment>& segment) {
  const auto bytes = transport.channel_bytes(spec);
  return segment != nullptr && bytes.ok() && segment->bytes() == *bytes;
}

}  // namespace

std::vector<std::shared_ptr<Replica>> Link::replicas() const {
  std::vector<std::shared_ptr<Replica>> all;
  for (const auto& segment : {channel, blocks, returns})
    if (auto replica = std::dynamic_pointer_cast<Replica>(segment)) all.push_back(std::move(replica));
  if (rendezvous != nullptr) all.push_back(rendezvous);
  return all;
}

std::string Link::description() const { return describe_all(replicas()); }

Status Link::connect(Wire& wire, std::string_view description) const {
  return connect_all(wire, replicas(), description).with_context("link");
}

Status invalid_field(std::string_view field, std::uint32_t value, std::string_view expected) {
  return {Code::kInvalid,
          "link: " + std::string(field) + " is " + std::to_string(value) + "; it must be " + std::string(expected)};
}

ChannelSpec channel_of(AnyTransport transport, std::uint32_t ring_slots, std::uint32_t return_slots) noexcept {
  return {.ring_slots = ring_slots,
          .return_slots = return_slots,
          .inline_bytes = 0,
          .header_crc = transport.wire() != nullptr};
}

Result<Link> allocate_link(AnyTransport transport, const LinkShape& shape, std::string_view label) {
  const auto layout = layout_of(transport, shape);
  if (!layout.ok()) return layout.status();
  Link link;
  WOA_RETURN_IF_ERROR(allocate(transport, transport.channel_bytes(shape.channel), label, link.channel));
  if (shape.returns)
    WOA_RETURN_IF_ERROR(allocate(transport, transport.channel_bytes(*shape.returns), label, link.returns));
  if (shape.blocks != 0) WOA_RETURN_IF_ERROR(allocate(transport, layout->region_bytes(), label, link.blocks));
  if (!shape.rendezvous) return link;
  Wire& wire = *transport.wire();
  auto rendezvous = wire.allocate(label, wire.rendezvous()->rendezvous_segment_bytes());
  if (!rendezvous.ok()) return rendezvous.status();
  link.rendezvous = std::move(*rendezvous);
  return link;
}

Result<CheckedLink> check_link(AnyTransport transport, const LinkShape& shape, const Link& link) {
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
  CheckedLink checked{shape.channel, {}, *layout};
  if (auto replica = std::dynamic_pointer_cast<Replica>(link.blocks))
    checked.regions = {{0, shape.blocks, shape.block_bytes, std::move(replica)}};
  return checked;
}

}  // namespace woa::messaging
