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

#include "runtime/base/divisor.h"
#include "runtime/base/status.h"

namespace woa {

class BlockPool {
 public:
  // `block_bytes` is a multiple of 64, and so is `header_room`, which lies in front of each block
  // (Transport::header_room()). Offsets are in units of 64 bytes; the region must stay under 256 GiB (kTooLarge
  // otherwise).
  static Result<BlockPool> make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room = 0);

  // A free block's offset (units of 64 bytes) with no holder yet, or false. No allocation.
  [[nodiscard]] bool claim(std::uint32_t& offset) noexcept {
    if (free_.empty()) return false;
    const std::uint32_t block = free_.back();
    free_.pop_back();
    holders_[block] = kClaimed;
    offset = block * stride_units_.value() + room_units_;
    return true;
  }
  // Sets how many consumers will give the block back; 0 frees it at once (an aborted claim).
  void hold(std::uint32_t offset, std::uint32_t holders) noexcept {
    const std::uint32_t block = stride_units_.quotient(offset - room_units_);
    assert(block < holders_.size() && holders_[block] == kClaimed && holders < kClaimed);
    holders_[block] = holders;
    if (holders == 0) free_.push_back(block);
  }
  // One consumer gave it back. False, and nothing changes, if `offset` is no block or nobody holds it: the peer is at
  // fault.
  [[nodiscard]] bool release(std::uint32_t offset) noexcept {
    if (offset < room_units_) return false;
    const std::uint32_t block = stride_units_.quotient(offset - room_units_);
    if (block * stride_units_.value() + room_units_ != offset || block >= holders_.size()) return false;
    if (holders_[block] == 0 || holders_[block] == kClaimed) return false;
    if (--holders_[block] == 0) free_.push_back(block);
    return true;
  }

  [[nodiscard]] std::uint32_t free_blocks() const noexcept { return static_cast<std::uint32_t>(free_.size()); }
  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return block_bytes_; }

 private:
  static constexpr std::uint32_t kClaimed = std::numeric_limits<std::uint32_t>::max();

  BlockPool(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room);
  std::uint64_t block_bytes_;
  std::uint32_t room_units_;            // in front of a block
  Divisor stride_units_;                // from block to block
  std::vector<std::uint32_t> free_;     // block numbers, last in first out
  std::vector<std::uint32_t> holders_;  // per block; kClaimed while a claim is open, 0 when free
};

}  // namespace woa
