#include "runtime/controller/sending.h"

#include <algorithm>
#include <array>

#include "runtime/packet/payload_crc.h"

namespace woa {
namespace {

// An inline payload over a wire with its CRC behind it. Nothing stays nothing: that payload lies in a block.
class InlineCrc {
 public:
  std::span<const std::byte> add(std::span<const std::byte> payload) noexcept {
    if (payload.empty()) return {};
    const std::size_t bytes = std::min<std::size_t>(payload.size(), kPoisonMessageBytes);
    std::copy_n(payload.begin(), bytes, bytes_.begin());
    put_payload_crc(bytes_.data(), bytes);
    return std::span(bytes_).first(payload_crc_at(bytes) + kPayloadCrcBytes);
  }

 private:
  std::array<std::byte, kPoisonMessageBytes + kPayloadCrcRoom> bytes_{};  // transfer_method.cc bounds what a wire takes
};

}  // namespace

// Without poison of retired instances there is at most one for each edge and instance in flight, and a token for each
// block. False: there are more, which fails the run.
bool Sending::make_room() noexcept {
  stats_.dropped += local_.drop_poison(oldest_);
  if (local_.full())
    failure_.set({Code::kInternal, "more packets inside a controller than blocks and instances in flight"});
  return !local_.full();
}

[[gnu::always_inline]] inline void Sending::cross(const OutEdge& edge, const ActivationPacket& header,
                                                  std::span<const std::byte> text) noexcept {
  edge.count_packet(header);
  bells_.ring_later(edge.channel);
  if (!edge.payload_crc || has_no_payload(header)) return edge.sender->commit(header, text);
  ActivationPacket packet = header;
  packet.flags |= kPayloadCrc;
  InlineCrc sealed;
  edge.sender->commit(packet, sealed.add(text));
}

void Sending::cross(const OutEdge& edge, SentPacket& packet, std::span<const std::byte> payload) noexcept {
  const bool inlined = !payload.empty() && payload.size() <= edge.inline_bytes;
  if (inlined) packet.flags |= kInline, packet.device = 0;
  ActivationPacket header;
  edge.write_header(header, packet);
  cross(edge, header, inlined ? payload : std::span<const std::byte>());
}

// Behind the payload, if it may take a wire: at once or when a relay passes it on, which may only read it.
void Sending::put_crc(std::uint16_t region, std::span<const std::byte> payload) noexcept {
  if (payload.empty() || layout_.regions[region].crc_room == 0) return;
  const std::span<std::byte> memory = wiring_.regions[region];
  put_payload_crc(memory.data() + (payload.data() - memory.data()), payload.size());
}

void Sending::send_count(OutPort& port, std::uint32_t elements, const Activation& of) noexcept {
  for (OutEdge& edge : port.counts) {
    if (!edge.takes(of, 0)) continue;
    SentPacket packet{edge.sent(of, 0), elements};
    send(edge, packet, {});
  }
}

void Sending::send_poison(OutEdge& edge, ActivationPacket header, std::span<const std::byte> text) noexcept {
  header = edge.addressed(header);
  if (edge.sender != nullptr) return cross(edge, header, text);
  if (!local_.full() || make_room()) local_.push(edge.edge, header, text);
}

Status Sending::commit_sealed(OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept {
  const std::uint64_t at = std::uint64_t{header.offset} * kOffsetUnitBytes;
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && (header.flags & kInline) == 0)
    put_crc(header.region, wiring_.regions[header.region].subspan(at, header.payload_bytes));
  if (edge.sender == nullptr) {
    if (!local_.full() || make_room()) local_.push(edge.edge, header, text);
    return {};
  }
  edge.count_packet(header);
  bells_.ring_later(edge.channel);
  if (!edge.payload_crc || header.payload_bytes == 0 || check(header) != Rejection::kNone)
    return edge.sender->commit_sealed(header, text);
  // The device seals headers and knows no CRC of payloads.
  ActivationPacket packet = header;
  packet.flags |= kPayloadCrc;
  seal(packet);
  InlineCrc sealed;
  return edge.sender->commit_sealed(packet, sealed.add(text));
}

void Sending::commit_relay(OutPort& port, const ActivationPacket& token, std::span<const std::byte> payload) noexcept {
  const Activation of = activation_of(token);
  if (port.passed != nullptr) port.passed->hold(token.region, token.offset, port.takers(of, 0));
  for (OutEdge& edge : port.edges) {
    if (!edge.takes(of, 0)) continue;
    SentPacket packet{edge.sent(of, 0), token.payload_bytes, token.offset, token.region,
                      programs_.memory_of(token.region)};
    packet.flags = token.flags & kAbsent;
    send(edge, packet, payload);
  }
}

}  // namespace woa
