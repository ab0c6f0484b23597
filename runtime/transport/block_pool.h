// The producer's own books about one region: which payload blocks are free, and how many consumers still hold each.
//
// Private memory of the producer; the region itself holds payload only. Blocks are reused last-in first-out, so that
// the memory touched is what was needed at once, not what was reserved. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/status.h"

namespace woa {

class BlockPool {
 public:
  // `block_bytes` is a multiple of 64, and so is `header_room`, which lies in front of each block
  // (Transport::header_room()). Offsets are in units of 64 bytes; the region must stay under 256 GiB (kTooLarge
  // otherwise).
  static Result<BlockPool> make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room = 0);

  // A free block's offset (units of 64 bytes) with no holder yet, or false. No allocation.
  [[nodiscard]] bool claim(std::uint32_t& offset) noexcept;
  // Sets how many consumers will give the block back; 0 frees it at once (an aborted claim).
  void hold(std::uint32_t offset, std::uint32_t holders) noexcept;
  // One consumer gave it back. False, and nothing changes, if `offset` is no block or nobody holds it: the peer is at
  // fault.
  [[nodiscard]] bool release(std::uint32_t offset) noexcept;

  [[nodiscard]] std::uint32_t free_blocks() const noexcept { return static_cast<std::uint32_t>(free_.size()); }
  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return block_bytes_; }

 private:
  BlockPool(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room);
  std::uint64_t block_bytes_;
  std::uint64_t room_units_, stride_units_;  // in units of 64 bytes: in front of a block, and from block to block
  std::vector<std::uint32_t> free_;          // block numbers, last in first out
  std::vector<std::uint32_t> holders_;       // per block; kClaimed while a claim is open, 0 when free
};

}  // namespace woa
