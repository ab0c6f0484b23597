// Payloads that came over a wire: their CRC is compared before anybody reads them.
#include <cstdio>

#include "runtime/base/text.h"
#include "runtime/controller/controller.h"
#include "runtime/packet/payload_crc.h"
#include "runtime/plan/index.h"

namespace woa {
namespace {

std::string hexadecimal(std::uint32_t crc) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

}  // namespace

// kDataLoss, which ends the run as a damaged header does: what one payload met, others may have met unseen before.
Status Controller::check_payload(std::uint32_t channel, std::uint32_t edge, const ActivationPacket& packet,
                                 std::span<const std::byte> inline_payload) const noexcept {
  const bool carried = (packet.flags & kPayloadCrc) != 0;
  const bool bare = packet.payload_bytes == 0 || packet.kind == static_cast<std::uint8_t>(PacketKind::kCount);
  if (!carried && (bare || !layout_.edges[edge].payload_crc)) return {};
  const auto lost = [&](const std::string& what) -> Status {
    return {Code::kDataLoss, name_of_edge(plan_, plan_.edges[edge]) + ", instance " + std::to_string(packet.instance) +
                                 ": a payload of " + counted(packet.payload_bytes, "byte") + " from '" +
                                 plan_.controllers[layout_.channels[channel].from].name + "' " + what};
  };
  if (carried != layout_.edges[edge].payload_crc)
    return lost(carried ? "has a CRC and none was expected"
                        : "has no CRC and one was expected; use one build for both");
  const std::byte* const payload =
      (packet.flags & kInline) != 0 ? inline_payload.data() : table_.region(packet.region).payload(packet).data();
  const PayloadCrc crc = read_payload_crc(payload, packet.payload_bytes);
  if (crc.holds()) return {};
  return lost("was damaged on its way: CRC-32C " + hexadecimal(crc.carried) + " expected, " +
              hexadecimal(crc.computed) + " found; look at the network and the memory of both hosts, then run again");
}

// The inline payload alone.
std::span<const std::byte> Controller::without_crc(const ActivationPacket& packet,
                                                   std::span<const std::byte> inline_payload) noexcept {
  if ((packet.flags & kPayloadCrc) == 0) return inline_payload;
  return inline_payload.first(inline_payload.empty() ? 0 : static_cast<std::size_t>(packet.payload_bytes));
}

// The header as its reader takes it: nothing follows the payload. A device checks the header's own CRC once more.
ActivationPacket Controller::without_crc(const ActivationPacket& packet) noexcept {
  ActivationPacket plain = packet;
  if ((packet.flags & kPayloadCrc) == 0) return plain;
  plain.flags = static_cast<std::uint8_t>(plain.flags & ~unsigned{kPayloadCrc});
  if ((plain.flags & kHeaderCrc) != 0) seal(plain);
  return plain;
}

}  // namespace woa
