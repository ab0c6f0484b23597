// How the two ends of a rendezvous lie in their replicas, and what travels between them.
//
//   0     StateLine, written by the peer; place 0
//   64    StateLine that this side writes from
//   128   GrantLine: the sender's is written by the receiver, which writes it from its own; place 1
//
// The chunks of a transfer are written into the memory that was granted; the one at n x kTransferChunkBytes has place
// 1 + n. There is one grant at a time: the next is written when everything has landed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/transport/rendezvous.h"

namespace woa::ofi {

// From the receiver to the sender.
struct GrantLine {
  static constexpr std::uint32_t kMagic = 0x47414f57;  // "WOAG"
  std::uint32_t magic = kMagic;
  std::uint32_t number = 0;            // of the transfer, from 1
  std::uint64_t bytes = 0;             // that may be written
  std::uint64_t address = 0, key = 0;  // of the first, as libfabric names it
  std::uint32_t refused = 0;           // 1: nothing may be written
  std::uint32_t reserved[6]{};
  std::uint32_t crc32c = 0;  // over the bytes before

  [[nodiscard]] std::uint32_t checksum() const noexcept;
};
static_assert(sizeof(GrantLine) == 64 && offsetof(GrantLine, crc32c) == 60);

inline constexpr std::size_t kGrantAt = 128;
inline constexpr std::size_t kRendezvousSegmentBytes = kGrantAt + sizeof(GrantLine);
inline constexpr std::uint32_t kMostChunks = kMostTransferBytes / kTransferChunkBytes;

constexpr std::uint32_t chunks_of(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>((bytes + kTransferChunkBytes - 1) / kTransferChunkBytes);
}

}  // namespace woa::ofi
