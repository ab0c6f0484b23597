// Packets that come by channels, held against this controller's own tables: kind, edge, block, size and payload CRC. A
// packet that cannot be true ends the run: nothing that follows it could be believed.
//
// One thread; no allocation unless a packet is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/stage_program.h"
#include "runtime/packet/activation_packet.h"

namespace woa {

class Arrivals {
 public:
  // Everything outlives it. `oldest`: the instance that this controller knows to be the oldest in flight.
  Arrivals(const Plan& plan, const Layout& layout, const StagePrograms& programs, const std::uint64_t& oldest)
      : plan_(plan), layout_(layout), programs_(programs), oldest_(oldest) {}

  // The edge that an activation, count or poison came by; null: why_refused() says what is wrong with it.
  [[nodiscard]] const InEdge* edge_of(std::uint32_t channel, const ActivationPacket& packet,
                                      std::span<const std::byte> inline_payload) const noexcept {
    // A token through shared memory, as nearly all packets are.
    const InEdge* const edge = programs_.in_edge(channel, packet);
    constexpr auto kActivate = static_cast<std::uint8_t>(PacketKind::kActivate);
    if (edge != nullptr && packet.kind == kActivate && (packet.flags | kInline) == kInline && !edge->payload_crc &&
        inline_payload.size() <= edge->inline_bytes && programs_.region(packet.region).holds(packet) && !is_far(packet))
      return edge;
    return edge_of_other(channel, packet, inline_payload);
  }
  // True if the host says on its control channel that instances have retired, or that the run has ended.
  [[nodiscard]] bool is_news(std::uint32_t channel, const ActivationPacket& packet) const noexcept {
    const auto kind = static_cast<PacketKind>(packet.kind);
    return (kind == PacketKind::kRetire || kind == PacketKind::kEnd) && layout_.channels[channel].control &&
           !is_far(packet);
  }
  // kDataLoss; `inline_payload` as given to edge_of().
  [[nodiscard]] Status why_refused(std::uint32_t channel, const ActivationPacket& packet,
                                   std::span<const std::byte> inline_payload) const;

  // The inline payload alone, and the header as its reader takes it: nothing follows the payload.
  [[nodiscard]] static std::span<const std::byte> without_crc(const ActivationPacket& packet,
                                                              std::span<const std::byte> inline_payload) noexcept {
    if ((packet.flags & kPayloadCrc) == 0) return inline_payload;
    return inline_payload.first(inline_payload.empty() ? 0 : static_cast<std::size_t>(packet.payload_bytes));
  }
  static void remove_crc(ActivationPacket& packet) noexcept {
    if ((packet.flags & kPayloadCrc) != 0) remove_payload_crc(packet);
  }

 private:
  // The host may be ahead of what this controller has heard, but not by this.
  static constexpr std::uint64_t kMaxInstanceJump = std::uint64_t{1} << 32;

  [[nodiscard]] bool is_far(const ActivationPacket& packet) const noexcept {
    return packet.instance > oldest_ && packet.instance - oldest_ > kMaxInstanceJump;
  }
  static void remove_payload_crc(ActivationPacket& packet) noexcept;
  [[nodiscard]] const InEdge* edge_of_other(std::uint32_t channel, const ActivationPacket& packet,
                                            std::span<const std::byte> inline_payload) const noexcept;
  // The text for a refusal, or empty.
  [[nodiscard]] std::string_view problem(std::uint32_t channel, const ActivationPacket& packet,
                                         std::span<const std::byte> inline_payload, const InEdge*& edge) const noexcept;
  [[nodiscard]] bool payload_holds(const InEdge& edge, const ActivationPacket& packet,
                                   std::span<const std::byte> inline_payload) const noexcept;
  [[nodiscard]] const std::byte* payload(const ActivationPacket& packet,
                                         std::span<const std::byte> inline_payload) const noexcept;
  [[nodiscard]] Status why_payload_refused(std::uint32_t channel, const InEdge& edge, const ActivationPacket& packet,
                                           std::span<const std::byte> inline_payload) const;

  const Plan& plan_;
  const Layout& layout_;
  const StagePrograms& programs_;
  const std::uint64_t& oldest_;
};

}  // namespace woa
