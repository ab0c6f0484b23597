// Any 64 bytes: the C++ and the C check agree on them, as they come and with the fields mended that hide later rules.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "runtime/packet/activation_packet.h"
#include "runtime/packet/generated/woa_packet.h"

namespace {

void compare(const woa::ActivationPacket& packet) {
  woa_packet same;
  std::memcpy(&same, &packet, sizeof same);
  if (static_cast<woa_u32>(woa::check(packet)) != woa_packet_check(&same)) std::abort();
  if (woa::header_crc(packet) != woa_packet_crc(&same)) std::abort();
  if (woa::to_string(packet).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  woa::ActivationPacket packet;
  if (size < sizeof packet) return 0;
  std::memcpy(&packet, data, sizeof packet);
  compare(packet);
  packet.magic = woa::kPacketMagic;
  packet.version = woa::kPacketVersion;
  packet.kind = static_cast<std::uint8_t>(1 + packet.kind % woa::kLastKind);
  packet.flags &= woa::kAllFlags;
  packet.crc32c = (packet.flags & woa::kHeaderCrc) != 0 ? woa::header_crc(packet) : 0;
  compare(packet);
  woa::seal(packet);
  compare(packet);
  return 0;
}
