// How a channel lies in its two replicas, and what the places are that immediates name.
//
//   0                     StateLine, written by the peer; place 0
//   64                    StateLine that this side writes from
//   128                   header ring: ring_slots x (64 + inline_bytes). The consumer's is written by the producer,
//                         places 1 to ring_slots; the producer writes from its own
//   behind it             credit lines: the producer's is written by the consumer, places from 1; the other way round
//
// Packets that bring a payload land in front of its block, in the consumer's replica of the region; the blocks' places
// follow those of the ring, region by region.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/memory/block_layout.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/transport/wire.h"

namespace woa::ofi {

// A consumer tells of each packet of a ring of so few places at once.
inline constexpr std::uint32_t kTellsAtOnce = 4;

// From the consumer to the producer.
struct CreditLine {
  static constexpr std::uint32_t kMagic = 0x43414f57;  // "WOAC"
  static constexpr std::size_t kMostReturns = 3;
  std::array<BlockReturn, kMostReturns> returns{};
  std::uint32_t return_count = 0;
  std::uint32_t sequence = 0;  // from 1; at the place of a packet's
  std::uint32_t consumed = 0;  // packets read so far, modulo 2^32
  std::uint32_t magic = kMagic;
  std::uint32_t reserved[2]{};
  std::uint32_t crc32c = 0;  // over the bytes before

  [[nodiscard]] std::uint32_t checksum() const noexcept;
};
static_assert(sizeof(CreditLine) == 64 && offsetof(CreditLine, sequence) == offsetof(ActivationPacket, sequence));

// Where things are in a replica of a channel.
class ChannelMap {
 public:
  static constexpr std::size_t kPeerState = 0, kOwnState = 64;

  // kInvalid names the field of `spec` that is out of bounds.
  static Result<ChannelMap> make(const ChannelSpec& spec);

  [[nodiscard]] std::size_t bytes() const noexcept { return lines_at_ + std::size_t{lines_} * sizeof(CreditLine); }
  [[nodiscard]] std::uint32_t slots() const noexcept { return slots_; }
  [[nodiscard]] std::uint32_t lines() const noexcept { return lines_; }
  [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }  // header and inline area
  [[nodiscard]] std::size_t slot_at(std::uint32_t slot) const noexcept { return kRingAt + slot * slot_bytes_; }
  [[nodiscard]] std::size_t line_at(std::uint32_t line) const noexcept { return lines_at_ + line * sizeof(CreditLine); }

 private:
  static constexpr std::size_t kRingAt = 128;
  std::uint32_t slots_ = 0, lines_ = 0;
  std::size_t slot_bytes_ = 0, lines_at_ = 0;
};

class OfiSegment;

// One region as a channel's end sees it.
struct RegionPlaces {
  std::uint16_t number = 0;
  BlockLayout blocks;
  std::uint32_t first_place = 0;
  std::shared_ptr<OfiSegment> segment;

  [[nodiscard]] std::uint64_t header_at(std::uint32_t block) const noexcept {
    return std::uint64_t{blocks.offset_of(block)} * kOffsetUnitBytes - kHeaderRoom;
  }
};

// All of a channel's regions.
class RegionMap {
 public:
  // kInvalid: a region of another transport, or of another size than its blocks need. kTooLarge: more blocks than
  // immediates can name.
  static Result<RegionMap> make(const ChannelMap& channel, std::span<const ChannelRegion> regions);

  // By number; null if the channel has none such.
  [[nodiscard]] const RegionPlaces* find(std::uint16_t number) const noexcept;
  // The region whose block has `place`; null if none has.
  [[nodiscard]] const RegionPlaces* at(std::uint32_t place, std::uint32_t& block) const noexcept;
  [[nodiscard]] std::span<const RegionPlaces> all() const noexcept { return regions_; }

 private:
  std::vector<RegionPlaces> regions_;
};

}  // namespace woa::ofi
