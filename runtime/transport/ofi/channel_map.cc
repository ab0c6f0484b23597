#include "runtime/transport/ofi/channel_map.h"

#include <bit>
#include <string>

#include "runtime/packet/crc32c.h"
#include "runtime/transport/ofi/immediate.h"
#include "runtime/transport/ofi/segment.h"
#include "runtime/transport/ring_layout.h"

namespace woa::ofi {

std::uint32_t CreditLine::checksum() const noexcept {
  return woa::crc32c(std::as_bytes(std::span(this, 1)).first(offsetof(CreditLine, crc32c)));
}

Result<ChannelMap> ChannelMap::make(const ChannelSpec& spec) {
  if (const auto bounds = ring_channel_bytes(spec); !bounds.ok()) return bounds.status();
  constexpr std::uint32_t kMostSlots = kPlaces / 4;
  if (spec.ring_slots > kMostSlots)
    return {Code::kInvalid, "channel: ring_slots is " + std::to_string(spec.ring_slots) + "; between hosts at most " +
                                std::to_string(kMostSlots)};
  if (spec.return_slots > kMostSlots)
    return {Code::kInvalid, "channel: return_slots is " + std::to_string(spec.return_slots) +
                                "; between hosts at most " + std::to_string(kMostSlots)};
  ChannelMap map;
  map.slots_ = spec.ring_slots;
  // Each line tells of a packet or a block that no other told of, so unread ones never exceed both.
  map.lines_ = std::bit_ceil(spec.ring_slots + spec.return_slots);
  map.slot_bytes_ = kPacketBytes + spec.inline_bytes;
  map.lines_at_ = kRingAt + map.slots_ * map.slot_bytes_;
  return map;
}

Result<RegionMap> RegionMap::make(const ChannelMap& channel, std::span<const ChannelRegion> regions) {
  RegionMap map;
  std::uint64_t place = std::uint64_t{kFirstLinePlace} + channel.slots();
  for (const ChannelRegion& region : regions) {
    auto segment = std::dynamic_pointer_cast<OfiSegment>(region.replica);
    const std::string what = "ofi: region " + std::to_string(region.number);
    if (segment == nullptr) return {Code::kInvalid, what + " lies in a segment of another transport; allocate it here"};
    const auto blocks = BlockLayout::make(region.blocks, region.block_bytes, kHeaderRoom);
    if (!blocks.ok()) return blocks.status().with_context(what);
    if (segment->bytes() != blocks->region_bytes())
      return {Code::kInvalid, what + " has " + std::to_string(region.blocks) + " blocks of " +
                                  std::to_string(region.block_bytes) + " bytes and needs " +
                                  std::to_string(blocks->region_bytes()) + " with its header room; its segment has " +
                                  std::to_string(segment->bytes())};
    map.regions_.push_back({region.number, *blocks, static_cast<std::uint32_t>(place), std::move(segment)});
    place += region.blocks;
    if (place > kPlaces)
      return {Code::kTooLarge, what + ": a channel between hosts reaches at most " + std::to_string(kPlaces) +
                                   " places; lower the window"};
  }
  return map;
}

const RegionPlaces* RegionMap::find(std::uint16_t number) const noexcept {
  for (const RegionPlaces& region : regions_) {
    if (region.number == number) return &region;
  }
  return nullptr;
}

const RegionPlaces* RegionMap::at(std::uint32_t place, std::uint32_t& block) const noexcept {
  for (const RegionPlaces& region : regions_) {
    if (place < region.first_place || place - region.first_place >= region.blocks.blocks()) continue;
    block = place - region.first_place;
    return &region;
  }
  return nullptr;
}

}  // namespace woa::ofi
