#include "runtime/transport/ring_layout.h"

#include <bit>
#include <string>

#include "runtime/packet/payload_crc.h"

namespace woa {
namespace {

constexpr std::uint32_t kMaxSlots = 1U << 24;

Status check_slots(std::string_view field, std::uint32_t slots) {
  if (std::has_single_bit(slots) && slots <= kMaxSlots) return {};
  return {Code::kInvalid, "channel: " + std::string(field) + " is " + std::to_string(slots) +
                              "; it must be a power of two from 1 to " + std::to_string(kMaxSlots)};
}

}  // namespace

Result<std::size_t> ring_channel_bytes(const ChannelSpec& spec) {
  if (Status status = check_slots("ring_slots", spec.ring_slots); !status.ok()) return status;
  if (Status status = check_slots("return_slots", spec.return_slots); !status.ok()) return status;
  if (spec.inline_bytes % 64 != 0 || spec.inline_bytes > kMaxRingInlineBytes)
    return {Code::kInvalid, "channel: inline_bytes is " + std::to_string(spec.inline_bytes) +
                                "; it must be a multiple of 64 from 0 to " + std::to_string(kMaxRingInlineBytes)};
  return sizeof(ChannelWords) + std::size_t{spec.ring_slots} * (sizeof(HeaderSlot) + spec.inline_bytes) +
         std::size_t{spec.return_slots} * sizeof(ReturnSlot);
}

bool keeps_rules(const ActivationPacket& packet, const ChannelSpec& spec) noexcept {
  return check(packet) == Rejection::kNone && (!spec.header_crc || (packet.flags & kHeaderCrc) != 0) &&
         ((packet.flags & kInline) == 0 || carried_bytes(packet) <= spec.inline_bytes);
}

std::string why_rejected(const ActivationPacket& packet, const ChannelSpec& spec) {
  const std::string rejected = "channel: packet " + std::to_string(packet.sequence) + " rejected: ";
  if (const Rejection rule = check(packet); rule != Rejection::kNone) return rejected + std::string(to_string(rule));
  if (spec.header_crc && (packet.flags & kHeaderCrc) == 0)
    return rejected + "this channel's headers carry a CRC, this one has none";
  return rejected + std::to_string(carried_bytes(packet)) + " bytes of inline payload, at most " +
         std::to_string(spec.inline_bytes) + " expected";
}

ChannelView::ChannelView(const ChannelSpec& spec, std::span<std::byte> bytes) noexcept
    : words(reinterpret_cast<ChannelWords*>(bytes.data())),
      slots(bytes.data() + sizeof(ChannelWords), spec.ring_slots, spec.inline_bytes),
      returns(reinterpret_cast<ReturnSlot*>(bytes.data() + sizeof(ChannelWords) + slots.size_bytes()),
              spec.return_slots) {}

}  // namespace woa
