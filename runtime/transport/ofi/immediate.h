// The 64 bits that come with a write into another process's memory, and publish it.
//
//   bits  0-19  place     in the target's channel (channel_map.h), or one of the two marks below
//        20-31  segment   the target's number for the channel's segment
//        32-63  sequence  of the packet or credit line; providers that carry 4 bytes drop it
//
// The line that lies at a packet's place holds the sequence too, so that nothing depends on the upper half.
#pragma once

#include <cstdint>

namespace woa::ofi {

inline constexpr std::uint32_t kPlaceBits = 20, kSegmentBits = 12;
inline constexpr std::uint32_t kSegments = 1U << kSegmentBits;
inline constexpr std::uint32_t kHelloPlace = (1U << kPlaceBits) - 1;  // the first write to a peer: nothing to read
inline constexpr std::uint32_t kPlaces = kHelloPlace;
inline constexpr std::uint32_t kStatePlace = 0;  // keep-alive, or the end: see StateLine
inline constexpr std::uint32_t kFirstLinePlace = 1;

struct Immediate {
  std::uint32_t place = 0, segment = 0, sequence = 0;

  [[nodiscard]] constexpr std::uint64_t encode() const noexcept {
    return std::uint64_t{place} | std::uint64_t{segment} << kPlaceBits | std::uint64_t{sequence} << 32;
  }
  static constexpr Immediate decode(std::uint64_t bits) noexcept {
    return {static_cast<std::uint32_t>(bits) & ((1U << kPlaceBits) - 1), static_cast<std::uint32_t>(bits) >> kPlaceBits,
            static_cast<std::uint32_t>(bits >> 32)};
  }
};
static_assert(Immediate::decode(Immediate{5, 7, 9}.encode()).segment == 7);

}  // namespace woa::ofi
