// Made by runtime/packet/generate.py from packet.json: do not edit. docs/packet.md explains every field.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace woa {

static_assert(std::endian::native == std::endian::little, "the packet is overlaid on memory: little-endian hosts only");

inline constexpr std::uint16_t kPacketMagic = 0x4157;
inline constexpr std::uint8_t kPacketVersion = 1;
inline constexpr std::size_t kPacketBytes = 64;
inline constexpr std::size_t kHeaderCrcBytes = 60;  // what the header CRC covers
inline constexpr std::size_t kOffsetUnitBytes = 64;
inline constexpr std::uint64_t kMaxPayloadBytes = 0x4000000000;
inline constexpr std::uint32_t kNoStage = 0xffffffff;  // as origin: the run itself

// clang-format off
enum class PacketKind : std::uint8_t {
    kActivate = 1, kPoison = 2, kCount = 3, kCredit = 4, kRetire = 5, kEnd = 6
};
enum PacketFlag : std::uint8_t {
    kInline = 1, kAbsent = 2, kHeaderCrc = 4, kPayloadCrc = 8
};
// Arrow C device numbers; the values of `device`.
enum class MemoryKind : std::uint8_t {
    kNone = 0, kCpu = 1, kCuda = 2, kCudaHost = 3, kOpencl = 4, kVpi = 9, kExtDev = 12
};
enum class Rejection : std::uint8_t {
    kNone = 0, kMagic = 1, kVersion = 2, kKind = 3, kFlags = 4, kHeaderCrc = 5, kStatus = 6, kFlagUse = 7,
    kPayloadBytes = 8, kDevice = 9, kRegion = 10
};

inline constexpr std::array kPacketKindNames = std::to_array<std::string_view>({
    "activate", "poison", "count", "credit", "retire", "end"
});
inline constexpr std::array kRejectionNames = std::to_array<std::string_view>({
    "none", "magic", "version", "kind", "flags", "header_crc", "status", "flag_use", "payload_bytes",
    "device", "region"
});
// clang-format on

inline constexpr std::uint8_t kFirstKind = 1;
inline constexpr std::uint8_t kLastKind = 6;
inline constexpr std::uint8_t kAllFlags = 15;
inline constexpr std::uint64_t kFlagsOfKinds = 0x00040404040d0f00;  // byte k: the flags that kind k may carry
inline constexpr std::uint32_t kMemories = 0x0000121e;              // bit m: memory m exists

struct alignas(kPacketBytes) ActivationPacket {
  std::uint16_t magic = kPacketMagic;
  std::uint8_t version = kPacketVersion;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  std::uint8_t status = 0;
  std::uint16_t port = 0;
  std::uint64_t instance = 0;
  std::uint64_t tag = 0;
  std::uint64_t deadline = 0;
  std::uint32_t stage = 0;
  std::uint32_t origin = 0;
  std::uint32_t sequence = 0;
  std::uint8_t device = 0;
  std::uint8_t ordinal = 0;
  std::uint16_t region = 0;
  std::uint64_t payload_bytes = 0;
  std::uint32_t offset = 0;
  std::uint32_t crc32c = 0;
};

// clang-format off
static_assert(offsetof(ActivationPacket, magic) == 0 && sizeof(ActivationPacket::magic) == 2);
static_assert(offsetof(ActivationPacket, version) == 2 && sizeof(ActivationPacket::version) == 1);
static_assert(offsetof(ActivationPacket, kind) == 3 && sizeof(ActivationPacket::kind) == 1);
static_assert(offsetof(ActivationPacket, flags) == 4 && sizeof(ActivationPacket::flags) == 1);
static_assert(offsetof(ActivationPacket, status) == 5 && sizeof(ActivationPacket::status) == 1);
static_assert(offsetof(ActivationPacket, port) == 6 && sizeof(ActivationPacket::port) == 2);
static_assert(offsetof(ActivationPacket, instance) == 8 && sizeof(ActivationPacket::instance) == 8);
static_assert(offsetof(ActivationPacket, tag) == 16 && sizeof(ActivationPacket::tag) == 8);
static_assert(offsetof(ActivationPacket, deadline) == 24 && sizeof(ActivationPacket::deadline) == 8);
static_assert(offsetof(ActivationPacket, stage) == 32 && sizeof(ActivationPacket::stage) == 4);
static_assert(offsetof(ActivationPacket, origin) == 36 && sizeof(ActivationPacket::origin) == 4);
static_assert(offsetof(ActivationPacket, sequence) == 40 && sizeof(ActivationPacket::sequence) == 4);
static_assert(offsetof(ActivationPacket, device) == 44 && sizeof(ActivationPacket::device) == 1);
static_assert(offsetof(ActivationPacket, ordinal) == 45 && sizeof(ActivationPacket::ordinal) == 1);
static_assert(offsetof(ActivationPacket, region) == 46 && sizeof(ActivationPacket::region) == 2);
static_assert(offsetof(ActivationPacket, payload_bytes) == 48 && sizeof(ActivationPacket::payload_bytes) == 8);
static_assert(offsetof(ActivationPacket, offset) == 56 && sizeof(ActivationPacket::offset) == 4);
static_assert(offsetof(ActivationPacket, crc32c) == 60 && sizeof(ActivationPacket::crc32c) == 4);
// clang-format on

}  // namespace woa
