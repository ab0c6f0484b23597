// The activation packet: one 64-byte header, the same bytes in host memory, on a device stream and in a GPU ring.
//
// Source of truth: packet.json beside this file (docs/packet.md explains every field). `generate.py` makes
// generated/woa_packet.h (C and OpenCL C), generated/packet_layout.h (C++) and generated/woa_packet_pkg.sv from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "runtime/packet/generated/packet_layout.h"

namespace woa {

// packet_layout.h defines, from packet.json:
//   struct alignas(64) ActivationPacket { magic, version, kind, flags, status, port, instance, tag, deadline, stage,
//     origin, sequence, device, ordinal, region, payload_bytes, offset, crc32c };  default-initialised to a valid
//     magic and version and zeros elsewhere
//   enum class PacketKind : uint8_t { kActivate = 1, kPoison, kCount, kCredit, kRetire, kEnd };
//   enum PacketFlag : uint8_t { kInline = 1, kAbsent = 2, kHeaderCrc = 4, kPayloadCrc = 8 };
//   enum class Rejection : uint8_t { kNone = 0, kMagic, kVersion, kKind, kFlags, kHeaderCrc, ... } in order of checking
//   constants kPacketBytes = 64, kOffsetUnitBytes = 64, kNoStage = 0xffffffff ("the run itself" as origin)
static_assert(sizeof(ActivationPacket) == kPacketBytes && alignof(ActivationPacket) == kPacketBytes);
static_assert(std::is_trivially_copyable_v<ActivationPacket> && std::is_standard_layout_v<ActivationPacket>);

// The first rule that `packet` breaks, in the order of docs/packet.md, or Rejection::kNone. Checks the header alone:
// region and offset are checked by the receiver against its own table. Never blocks or allocates; any thread.
Rejection check(const ActivationPacket& packet) noexcept;

// True for the numbers of docs/packet.md, Memories.
constexpr bool is_memory(std::uint32_t number) noexcept { return number < 32 && ((kMemories >> number) & 1U) != 0; }

// True for nearly every packet on one host: an activate without a CRC, with a payload in a block or inline, that keeps
// every rule of check(), which takes longer.
[[gnu::always_inline]] inline bool is_plain_activate(const ActivationPacket& packet) noexcept {
  constexpr std::uint64_t kPort = std::uint64_t{0xffff} << 48;
  constexpr std::uint64_t kInlineFlag = std::uint64_t{kInline} << 32;
  constexpr std::uint64_t kStart = kPacketMagic | std::uint64_t{kPacketVersion} << 16 |
                                   static_cast<std::uint64_t>(PacketKind::kActivate) << 24;  // other flags and status 0
  std::uint64_t start;
  std::memcpy(&start, &packet, sizeof start);
  if ((start & ~(kPort | kInlineFlag)) != kStart || packet.crc32c != 0) return false;
  if (packet.payload_bytes - 1 >= kMaxPayloadBytes) return false;  // 0 wraps
  return (start & kInlineFlag) != 0 ? packet.device == 0 && packet.ordinal == 0 : is_memory(packet.device);
}

// CRC-32C (Castagnoli; reflected, initial value and final xor all ones) over bytes 0 to 59 of the header.
std::uint32_t header_crc(const ActivationPacket& packet) noexcept;

// Sets the header CRC flag and field; the last step before a header leaves over a stream.
void seal(ActivationPacket& packet) noexcept;

// One line for logs and test failures: kind, destination, instance, tag, payload.
std::string to_string(const ActivationPacket& packet);
std::string_view to_string(Rejection rejection) noexcept;
std::string_view to_string(PacketKind kind) noexcept;

}  // namespace woa
