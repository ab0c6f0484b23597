#include "runtime/transport/block_pool.h"

#include <cassert>
#include <limits>
#include <string>

#include "runtime/packet/activation_packet.h"

namespace woa {
namespace {

constexpr std::uint64_t kRegionLimit = (std::uint64_t{1} << 32) * kOffsetUnitBytes;  // what a packet's offset can reach
constexpr std::uint32_t kClaimed = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<BlockPool> BlockPool::make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room) {
  if (block_bytes == 0 || block_bytes % kOffsetUnitBytes != 0 || header_room % kOffsetUnitBytes != 0)
    return {Code::kInvalid, "block pool: a block of " + std::to_string(block_bytes) + " bytes behind " +
                                std::to_string(header_room) + "; round both up to a multiple of 64"};
  if (block_bytes >= kRegionLimit || blocks > (kRegionLimit - 1) / (block_bytes + header_room))
    return {Code::kTooLarge, "block pool: " + std::to_string(blocks) + " blocks of " + std::to_string(block_bytes) +
                                 " bytes reach the 256 GiB of a region; lower the window or the port's bound"};
  return BlockPool(blocks, block_bytes, header_room);
}

BlockPool::BlockPool(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room)
    : block_bytes_(block_bytes),
      room_units_(header_room / kOffsetUnitBytes),
      stride_units_((block_bytes + header_room) / kOffsetUnitBytes),
      free_(blocks),
      holders_(blocks, 0) {
  for (std::uint32_t k = 0; k < blocks; ++k) free_[k] = blocks - 1 - k;
}

bool BlockPool::claim(std::uint32_t& offset) noexcept {
  if (free_.empty()) return false;
  const std::uint32_t block = free_.back();
  free_.pop_back();
  holders_[block] = kClaimed;
  offset = static_cast<std::uint32_t>(block * stride_units_ + room_units_);
  return true;
}

void BlockPool::hold(std::uint32_t offset, std::uint32_t holders) noexcept {
  const auto block = static_cast<std::uint32_t>((offset - room_units_) / stride_units_);
  assert(block < holders_.size() && holders_[block] == kClaimed && holders < kClaimed);
  holders_[block] = holders;
  if (holders == 0) free_.push_back(block);
}

bool BlockPool::release(std::uint32_t offset) noexcept {
  if (offset < room_units_ || (offset - room_units_) % stride_units_ != 0) return false;
  const std::uint64_t block = (offset - room_units_) / stride_units_;
  if (block >= holders_.size() || holders_[block] == 0 || holders_[block] == kClaimed) return false;
  if (--holders_[block] == 0) free_.push_back(static_cast<std::uint32_t>(block));
  return true;
}

}  // namespace woa
