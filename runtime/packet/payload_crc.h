// The CRC-32C that follows a payload whose header has the flag payload_crc (docs/packet.md, Payload): TCP's checksum
// misses words that changed places, and would let wrong outputs pass for right ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/packet/activation_packet.h"

namespace woa {

inline constexpr std::uint32_t kPayloadCrcBytes = 4;
// Room behind a block or an inline payload, for the CRC and the padding before it: a multiple of 64.
inline constexpr std::uint32_t kPayloadCrcRoom = 64;

constexpr std::uint64_t payload_crc_at(std::uint64_t payload_bytes) noexcept { return (payload_bytes + 7) / 8 * 8; }

// Bytes that travel as the header's payload, including its CRC, if it has one. Meaningless for a count or a credit.
constexpr std::uint64_t carried_bytes(const ActivationPacket& header) noexcept {
  if ((header.flags & kPayloadCrc) == 0) return header.payload_bytes;
  return payload_crc_at(header.payload_bytes) + kPayloadCrcBytes;
}

// Nothing that a CRC could cover: a count says its number where others say their payload's bytes.
constexpr bool has_no_payload(const ActivationPacket& header) noexcept {
  return header.payload_bytes == 0 || header.kind == static_cast<std::uint8_t>(PacketKind::kCount);
}

// Writes the CRC behind the payload; the padding keeps what it held. Never blocks or allocates.
void put_payload_crc(std::byte* payload, std::uint64_t payload_bytes) noexcept;

struct PayloadCrc {
  std::uint32_t carried = 0, computed = 0;
  [[nodiscard]] bool holds() const noexcept { return carried == computed; }
};
PayloadCrc read_payload_crc(const std::byte* payload, std::uint64_t payload_bytes) noexcept;

}  // namespace woa
