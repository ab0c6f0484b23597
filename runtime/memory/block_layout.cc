#include "runtime/memory/block_layout.h"

#include <algorithm>
#include <string>

#include "runtime/packet/activation_packet.h"

namespace woa {
namespace {

constexpr std::uint64_t kRegionLimit = (std::uint64_t{1} << 32) * kOffsetUnitBytes;  // what a packet's offset can reach

}  // namespace

Result<BlockLayout> BlockLayout::make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room) {
  if (block_bytes == 0 || block_bytes % kOffsetUnitBytes != 0 || header_room % kOffsetUnitBytes != 0)
    return {Code::kInvalid, "blocks of a region: one of " + std::to_string(block_bytes) + " bytes behind " +
                                std::to_string(header_room) + "; round both up to a multiple of 64"};
  if (block_bytes >= kRegionLimit || std::max(blocks, 1U) > (kRegionLimit - 1) / (block_bytes + header_room))
    return {Code::kTooLarge, "blocks of a region: " + std::to_string(blocks) + " of " + std::to_string(block_bytes) +
                                 " bytes behind " + std::to_string(header_room) + "; a region stays under 256 GiB"};
  return BlockLayout(blocks, block_bytes, header_room);
}

BlockLayout::BlockLayout(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room) noexcept
    : blocks_(blocks),
      block_bytes_(block_bytes),
      room_units_(header_room / static_cast<std::uint32_t>(kOffsetUnitBytes)),
      stride_units_(static_cast<std::uint32_t>((block_bytes + header_room) / kOffsetUnitBytes)) {}

std::uint64_t BlockLayout::region_bytes() const noexcept {
  return std::uint64_t{blocks_} * stride_units_.value() * kOffsetUnitBytes;
}

}  // namespace woa
