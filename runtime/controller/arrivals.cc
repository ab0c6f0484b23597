#include "runtime/controller/arrivals.h"

#include <cstdio>
#include <string>

#include "runtime/base/text.h"
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

const InEdge* Arrivals::edge_of_other(std::uint32_t channel, const ActivationPacket& packet,
                                      std::span<const std::byte> inline_payload) const noexcept {
  const InEdge* edge = nullptr;
  if (!problem(channel, packet, inline_payload, edge).empty()) return nullptr;
  return payload_holds(*edge, packet, inline_payload) ? edge : nullptr;
}

std::string_view Arrivals::problem(std::uint32_t channel, const ActivationPacket& packet,
                                   std::span<const std::byte> inline_payload, const InEdge*& edge) const noexcept {
  if (is_far(packet)) return "is of a far instance";
  const auto kind = static_cast<PacketKind>(packet.kind);
  if (kind == PacketKind::kRetire || kind == PacketKind::kEnd)
    return "says what only the host's control channel may say";
  if (kind != PacketKind::kActivate && kind != PacketKind::kPoison && kind != PacketKind::kCount)
    return "is of an unexpected kind";
  edge = programs_.in_edge(channel, packet);
  if (edge == nullptr) return "fits no edge of the plan";
  const InPort& port = programs_[packet.stage].inputs[packet.port];
  if (kind == PacketKind::kCount && packet.payload_bytes > port.plan->gather) return "counts more elements than may be";
  if (kind != PacketKind::kActivate) return {};
  if ((packet.flags & kAbsent) != 0 && !port.plan->optional && !port.gathers)
    return "is absent, but its input is not optional";
  if (without_crc(packet, inline_payload).size() > edge->inline_bytes)
    return "carries more behind its header than its edge may";
  if (!programs_.region(packet.region).holds(packet)) return "names no block";
  return {};
}

Status Arrivals::why_refused(std::uint32_t channel, const ActivationPacket& packet,
                             std::span<const std::byte> inline_payload) const {
  const InEdge* edge = nullptr;
  const std::string_view why = problem(channel, packet, inline_payload, edge);
  if (why.empty()) return why_payload_refused(channel, *edge, packet, inline_payload);
  return {Code::kDataLoss, "packet from '" + plan_.controllers[layout_.channels[channel].from].name + "' " +
                               std::string(why) + ": " + to_string(packet)};
}

const std::byte* Arrivals::payload(const ActivationPacket& packet,
                                   std::span<const std::byte> inline_payload) const noexcept {
  return (packet.flags & kInline) != 0 ? inline_payload.data() : programs_.region(packet.region).payload(packet).data();
}

// A payload that came over a wire: its CRC is compared before anybody reads it.
bool Arrivals::payload_holds(const InEdge& edge, const ActivationPacket& packet,
                             std::span<const std::byte> inline_payload) const noexcept {
  const bool carried = (packet.flags & kPayloadCrc) != 0;
  if (!carried && (!edge.payload_crc || has_no_payload(packet))) return true;
  if (carried != edge.payload_crc) return false;
  return read_payload_crc(payload(packet, inline_payload), packet.payload_bytes).holds();
}

// kDataLoss, which ends the run as a damaged header does: what one payload met, others may have met unseen before.
Status Arrivals::why_payload_refused(std::uint32_t channel, const InEdge& edge, const ActivationPacket& packet,
                                     std::span<const std::byte> inline_payload) const {
  const auto lost = [&](const std::string& what) -> Status {
    return {Code::kDataLoss, name_of_edge(plan_, plan_.edges[edge.edge]) + ", instance " +
                                 std::to_string(packet.instance) + ": a payload of " +
                                 counted(packet.payload_bytes, "byte") + " from '" +
                                 plan_.controllers[layout_.channels[channel].from].name + "' " + what};
  };
  const bool carried = (packet.flags & kPayloadCrc) != 0;
  if (carried != edge.payload_crc)
    return lost(carried ? "has a CRC and none was expected"
                        : "has no CRC and one was expected; use one build for both");
  const PayloadCrc crc = read_payload_crc(payload(packet, inline_payload), packet.payload_bytes);
  return lost("was damaged on its way: CRC-32C " + hexadecimal(crc.carried) + " expected, " +
              hexadecimal(crc.computed) + " found; look at the network and the memory of both hosts, then run again");
}

// A device checks the header's own CRC once more.
void Arrivals::remove_payload_crc(ActivationPacket& packet) noexcept {
  packet.flags = static_cast<std::uint8_t>(packet.flags & ~unsigned{kPayloadCrc});
  if ((packet.flags & kHeaderCrc) != 0) seal(packet);
}

}  // namespace woa
