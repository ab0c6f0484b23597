#include "runtime/packet/activation_packet.h"

#include <cstdio>

#include "runtime/base/status.h"
#include "runtime/base/text.h"
#include "runtime/packet/crc32c.h"

namespace woa {
namespace {

constexpr bool is(const ActivationPacket& packet, PacketKind kind) {
  return packet.kind == static_cast<std::uint8_t>(kind);
}

bool flags_fit_kind(const ActivationPacket& packet) {
  const unsigned allowed = (kFlagsOfKinds >> (8U * packet.kind)) & 0xffU;
  if ((packet.flags & ~allowed) != 0) return false;
  return (packet.flags & kAbsent) == 0 || (packet.flags & (kInline | kPayloadCrc)) == 0;
}

bool payload_bytes_fit(const ActivationPacket& packet) {
  if (is(packet, PacketKind::kCount) || is(packet, PacketKind::kCredit)) return true;
  if (packet.payload_bytes == 0) return (packet.flags & kPayloadCrc) == 0;
  if (packet.payload_bytes > kMaxPayloadBytes) return false;
  if (is(packet, PacketKind::kPoison)) return (packet.flags & kInline) != 0;
  return is(packet, PacketKind::kActivate) && (packet.flags & kAbsent) == 0;
}

bool device_fits(const ActivationPacket& packet) {
  if (is(packet, PacketKind::kActivate) && packet.payload_bytes != 0 && (packet.flags & kInline) == 0)
    return is_memory(packet.device);
  return packet.device == 0 && packet.ordinal == 0;
}

std::string payload_text(const ActivationPacket& packet) {
  if (is(packet, PacketKind::kCount) || is(packet, PacketKind::kCredit))
    return "number " + std::to_string(packet.payload_bytes);
  if (packet.payload_bytes == 0 && (packet.flags & kAbsent) != 0) return "absent";
  std::string text = counted(packet.payload_bytes, "byte");
  if ((packet.flags & kInline) != 0) return text + " inline";
  if (!is(packet, PacketKind::kActivate) || packet.payload_bytes == 0) return text;
  return text + " at " + std::to_string(packet.region) + "+" + std::to_string(packet.offset * kOffsetUnitBytes) +
         " (memory " + std::to_string(packet.device) + ":" + std::to_string(packet.ordinal) + ")";
}

}  // namespace

// Checks the rules in the order of docs/packet.md.
Rejection check(const ActivationPacket& packet) noexcept {
  if (is_plain_activate(packet)) return Rejection::kNone;
  if (packet.magic != kPacketMagic) return Rejection::kMagic;
  if (packet.version != kPacketVersion) return Rejection::kVersion;
  if (packet.kind < kFirstKind || packet.kind > kLastKind) return Rejection::kKind;
  if ((packet.flags & ~kAllFlags) != 0) return Rejection::kFlags;
  if (packet.crc32c != ((packet.flags & kHeaderCrc) != 0 ? header_crc(packet) : 0)) return Rejection::kHeaderCrc;
  if (is(packet, PacketKind::kPoison) != (packet.status != 0)) return Rejection::kStatus;
  if (!flags_fit_kind(packet)) return Rejection::kFlagUse;
  if (!payload_bytes_fit(packet)) return Rejection::kPayloadBytes;
  if (!device_fits(packet)) return Rejection::kDevice;
  if (!is(packet, PacketKind::kActivate) && (packet.region | packet.offset) != 0) return Rejection::kRegion;
  return Rejection::kNone;
}

std::uint32_t header_crc(const ActivationPacket& packet) noexcept {
  return crc32c(std::as_bytes(std::span(&packet, 1)).first(kHeaderCrcBytes));
}

void seal(ActivationPacket& packet) noexcept {
  packet.flags |= kHeaderCrc;
  packet.crc32c = header_crc(packet);
}

std::string to_string(const ActivationPacket& packet) {
  char tag[24];
  std::snprintf(tag, sizeof tag, "0x%llx", static_cast<unsigned long long>(packet.tag));
  std::string line(to_string(static_cast<PacketKind>(packet.kind)));
  line += " #" + std::to_string(packet.sequence) + " stage " + std::to_string(packet.stage) + " port " +
          std::to_string(packet.port) + " instance " + std::to_string(packet.instance) + " tag " + tag + " origin " +
          (packet.origin == kNoStage ? "run" : std::to_string(packet.origin)) + ", " + payload_text(packet);
  if (packet.status != 0) line += ", status " + std::string(to_string(static_cast<Code>(packet.status)));
  return line;
}

std::string_view to_string(Rejection rejection) noexcept {
  const auto number = static_cast<std::size_t>(rejection);
  return number < kRejectionNames.size() ? kRejectionNames[number] : "unknown";
}

std::string_view to_string(PacketKind kind) noexcept {
  const auto number = static_cast<std::size_t>(kind);
  return number >= kFirstKind && number <= kLastKind ? kPacketKindNames[number - kFirstKind] : "unknown";
}

}  // namespace woa
