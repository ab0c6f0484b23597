// A producer counts here, for one of its regions, which payload blocks are free and how many consumers hold each.
//
// The counts lie in memory of the producer alone; the region holds payload only. Blocks are reused last-in first-out,
// so a run touches as many blocks as it holds at once, not all that are reserved. One thread uses a pool.
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
  // Makes a pool over a region of `blocks` blocks. It fails as BlockLayout::make() does.
  static Result<BlockPool> make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room = 0);

  // Takes a free block and sets its offset as packets name it. False if no block is free. No allocation.
  [[nodiscard, gnu::always_inline]] bool claim(std::uint32_t& offset) noexcept {
    if (free_count_ == 0) return false;
    const std::uint32_t block = free_[--free_count_];
    holders_[block] = kClaimed;
    offset = layout_.offset_of(block);
    return true;
  }
  // Sets how many consumers will give the block back; 0 frees it at once (an aborted claim).
  [[gnu::always_inline]] void hold(std::uint32_t offset, std::uint32_t holders) noexcept {
    std::uint32_t block = 0;
    [[maybe_unused]] const bool found = layout_.find(offset, block);
    assert(found && holders_[block] == kClaimed && holders < kClaimed);
    holders_[block] = holders;
    if (holders == 0) free_[free_count_++] = block;
  }
  // Notes that one consumer gave the block back. False, without a change, if `offset` is no block or nobody holds it:
  // the peer sent something wrong.
  [[nodiscard, gnu::always_inline]] bool release(std::uint32_t offset) noexcept {
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
  std::vector<std::uint32_t> free_;  // block numbers, of which the first free_count_ count; last in, first out
  std::uint32_t free_count_ = 0;
  std::vector<std::uint32_t> holders_;  // by block: kClaimed while a claim is open, 0 when free
};

}  // namespace woa
