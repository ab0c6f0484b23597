// The producer's own books about one region: which payload blocks are free, and how many consumers still hold each.
//
// Private memory of the producer; the region itself holds payload only. Blocks are reused last-in first-out, so that
// the memory touched is what was needed at once, not what was reserved. One thread.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/memory/block_layout.h"

namespace woa {

class BlockPool {
 public:
  explicit BlockPool(const BlockLayout& layout);
  // Of such blocks. Otherwise as BlockLayout::make().
  static Result<BlockPool> make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room = 0);

  // A free block's offset, as packets name it, with no holder yet, or false. No allocation.
  [[nodiscard]] bool claim(std::uint32_t& offset) noexcept {
    if (free_count_ == 0) return false;
    const std::uint32_t block = free_[--free_count_];
    holders_[block] = kClaimed;
    offset = layout_.offset_of(block);
    return true;
  }
  // Sets how many consumers will give the block back; 0 frees it at once (an aborted claim).
  void hold(std::uint32_t offset, std::uint32_t holders) noexcept {
    std::uint32_t block = 0;
    [[maybe_unused]] const bool found = layout_.find(offset, block);
    assert(found && holders_[block] == kClaimed && holders < kClaimed);
    holders_[block] = holders;
    if (holders == 0) free_[free_count_++] = block;
  }
  // One consumer gave it back. False, and nothing changes, if `offset` is no block or nobody holds it: the peer is at
  // fault.
  [[nodiscard]] bool release(std::uint32_t offset) noexcept {
    std::uint32_t block = 0;
    if (!layout_.find(offset, block)) return false;
    if (holders_[block] == 0 || holders_[block] == kClaimed) return false;
    if (--holders_[block] == 0) free_[free_count_++] = block;
    return true;
  }

  [[nodiscard]] std::uint32_t free_blocks() const noexcept { return free_count_; }
  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return layout_.block_bytes(); }

 private:
  static constexpr std::uint32_t kClaimed = std::numeric_limits<std::uint32_t>::max();

  BlockLayout layout_;
  std::vector<std::uint32_t> free_;  // block numbers: the first free_count_, last in first out
  std::uint32_t free_count_ = 0;
  std::vector<std::uint32_t> holders_;  // per block; kClaimed while a claim is open, 0 when free
};

}  // namespace woa
