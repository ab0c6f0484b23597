#include "runtime/transport/block_pool.h"

#include <algorithm>
#include <string>

#include "runtime/packet/activation_packet.h"

namespace woa {
namespace {

constexpr std::uint64_t kRegionLimit = (std::uint64_t{1} << 32) * kOffsetUnitBytes;  // what a packet's offset can reach

}  // namespace

Result<BlockPool> BlockPool::make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room) {
  if (block_bytes == 0 || block_bytes % kOffsetUnitBytes != 0 || header_room % kOffsetUnitBytes != 0)
    return {Code::kInvalid, "block pool: a block of " + std::to_string(block_bytes) + " bytes behind " +
                                std::to_string(header_room) + "; round both up to a multiple of 64"};
  if (block_bytes >= kRegionLimit || std::max(blocks, 1U) > (kRegionLimit - 1) / (block_bytes + header_room))
    return {Code::kTooLarge, "block pool: " + std::to_string(blocks) + " blocks of " + std::to_string(block_bytes) +
                                 " bytes reach the 256 GiB of a region; lower the window or the port's bound"};
  return BlockPool(blocks, block_bytes, header_room);
}

BlockPool::BlockPool(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room)
    : block_bytes_(block_bytes),
      room_units_(header_room / static_cast<std::uint32_t>(kOffsetUnitBytes)),
      stride_units_(static_cast<std::uint32_t>((block_bytes + header_room) / kOffsetUnitBytes)),
      free_(blocks),
      holders_(blocks, 0) {
  for (std::uint32_t k = 0; k < blocks; ++k) free_[k] = blocks - 1 - k;
}

}  // namespace woa
