// Where the blocks of a region lie: one behind another, each behind its header room (none
// where memory is shared; see runtime/transport/wire.h).
#pragma once

#include <cstdint>

#include "runtime/base/divisor.h"
#include "runtime/base/status.h"

namespace woa {

// A value. Offsets are as packets name them, in units of 64 bytes.
class BlockLayout {
 public:
  // `block_bytes` and `header_room` are multiples of 64 (kInvalid otherwise). kTooLarge: the region must stay under
  // 256 GiB; the caller knows what made it so large.
  static Result<BlockLayout> make(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room);

  [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t block_bytes() const noexcept { return block_bytes_; }
  // Of the region's segment.
  [[nodiscard]] std::uint64_t region_bytes() const noexcept;
  [[nodiscard]] std::uint32_t offset_of(std::uint32_t block) const noexcept {
    return block * stride_units_.value() + room_units_;
  }
  // False, and `block` is anything: no block begins at `offset`.
  [[nodiscard]] bool find(std::uint32_t offset, std::uint32_t& block) const noexcept {
    if (offset < room_units_) return false;
    block = stride_units_.quotient(offset - room_units_);
    return block < blocks_ && offset_of(block) == offset;
  }

 private:
  BlockLayout(std::uint32_t blocks, std::uint64_t block_bytes, std::uint32_t header_room) noexcept;

  std::uint32_t blocks_;
  std::uint64_t block_bytes_;
  std::uint32_t room_units_;  // in front of a block
  Divisor stride_units_;      // from block to block
};

}  // namespace woa
