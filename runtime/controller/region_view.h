// A region's payload memory as this process sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/divisor.h"
#include "runtime/controller/layout.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

// Empty if this controller neither writes nor reads the region.
class RegionView {
 public:
  // `kind`: where the data lie for this controller; all but the producer read the copy in host memory.
  RegionView(const RegionLayout& layout, std::span<std::byte> memory, MemoryKind kind = MemoryKind::kCpu) noexcept;

  // Does the activation name a block of this region, and fit it?
  [[nodiscard]] bool holds(const ActivationPacket& packet) const noexcept {
    const std::uint32_t at = packet.offset - room_;  // below the first block's it wraps, beyond the end
    return at < end_ && packet.payload_bytes <= block_bytes_ && units_.quotient(at) * units_.value() == at;
  }
  // Of what lies in a device alone only the dimensions can be read.
  [[nodiscard]] std::span<std::byte> payload(const ActivationPacket& packet) const noexcept {
    return {memory_.data() + std::size_t{packet.offset} * kOffsetUnitBytes, packet.payload_bytes};
  }
  [[nodiscard]] std::span<std::byte> block(const ActivationPacket& packet) const noexcept {
    return memory_.subspan(std::size_t{packet.offset} * kOffsetUnitBytes, block_bytes_);
  }
  // The block's number.
  [[nodiscard]] std::uint32_t number(std::uint32_t offset) const noexcept { return units_.quotient(offset - room_); }
  [[nodiscard]] MemoryKind memory() const noexcept { return kind_; }
  [[nodiscard]] bool is_in_device() const noexcept { return kind_ != MemoryKind::kCpu; }

 private:
  std::span<std::byte> memory_;
  std::uint64_t block_bytes_;
  std::uint32_t room_;  // in units of 64 bytes, like the next: in front of the first block
  std::uint64_t end_;   // of the blocks, counted from the first
  Divisor units_;       // from block to block
  MemoryKind kind_;
};

}  // namespace woa
