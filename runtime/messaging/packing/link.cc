#include "runtime/messaging/packing/link.h"

#include <bit>

namespace woa::packing {
namespace {

using messaging::LinkShape;
constexpr std::uint32_t kMaxBlocks = 1U << 16;
constexpr std::uint32_t kMaxBlockBytes = 1U << 30;
constexpr std::uint32_t kMaxLaterPieces = 1U << 20;

Result<LinkShape> shape_of(AnyTransport transport, const LinkSpec& spec) {
  using messaging::invalid_field;
  if (spec.blocks == 0 || spec.blocks > kMaxBlocks) return invalid_field("blocks", spec.blocks, "from 1 to 65536");
  if (spec.block_bytes == 0 || spec.block_bytes % kOffsetUnitBytes != 0 || spec.block_bytes > kMaxBlockBytes)
    return invalid_field("block_bytes", spec.block_bytes, "a multiple of 64 from 64 to 1073741824");
  if (spec.later_pieces > kMaxLaterPieces) return invalid_field("later_pieces", spec.later_pieces, "at most 1048576");
  LinkShape shape{channel_of(transport, spec), spec.blocks, spec.block_bytes};
  shape.rendezvous = transport.wire() != nullptr && transport.wire()->rendezvous() != nullptr;
  shape.to_lower = "blocks or block_bytes";
  return shape;
}

}  // namespace

ChannelSpec channel_of(AnyTransport transport, const LinkSpec& spec) noexcept {
  return messaging::channel_of(transport, std::bit_ceil(spec.blocks), std::bit_ceil(spec.blocks));
}

Result<Link> allocate_link(AnyTransport transport, const LinkSpec& spec, std::string_view label) {
  const auto shape = shape_of(transport, spec);
  return shape.ok() ? messaging::allocate_link(transport, *shape, label) : shape.status();
}

Result<CheckedLink> check_link(AnyTransport transport, const LinkSpec& spec, const Link& link) {
  const auto shape = shape_of(transport, spec);
  return shape.ok() ? messaging::check_link(transport, *shape, link) : shape.status();
}

}  // namespace woa::packing
