#include "runtime/controller/sending.h"

#include <algorithm>
#include <array>
#include <bit>

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

void Sending::abort_port(OutPort& port, std::uint32_t elements, const FiringKey& key,
                         const PortClaim* claims) noexcept {
  untake(port.counts, key, 0);
  for (std::uint32_t e = 0; e < elements; ++e) abort_element(port, e, key, claims[e]);
}

void Sending::abort(std::span<OutPort> ports, const FiringKey& key, std::span<const PortClaim> claims) noexcept {
  const PortClaim* next = claims.data();
  for (OutPort& port : ports) {
    abort_port(port, port.elements, key, next);
    next += port.elements;
  }
}

[[gnu::always_inline]] inline void Sending::count(const OutEdge& edge, const ActivationPacket& header) noexcept {
  ++edge.stats->messages;
  const bool token = header.kind == static_cast<std::uint8_t>(PacketKind::kActivate);
  if (token && edge.counts_payload) edge.stats->payload_bytes += header.payload_bytes;
}

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
  count(edge, header);
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

void Sending::send_count(OutPort& port, std::uint32_t elements, const FiringKey& key, std::uint64_t deadline) noexcept {
  for (OutEdge& edge : port.counts) {
    if (!edge.takes(key, 0)) continue;
    SentPacket packet{key.instance, edge.sent_tag(key.tag, 0), deadline, elements};
    send(edge, packet, {});
  }
}

// Poison with the edge's part.
ActivationPacket Sending::addressed(const OutEdge& edge, ActivationPacket poison) noexcept {
  const auto edges = std::bit_cast<ActivationPacket>(edge.header);
  poison.stage = edges.stage;
  poison.port = edges.port;
  return poison;
}

void Sending::send_poison(OutEdge& edge, ActivationPacket header, std::span<const std::byte> text) noexcept {
  header = addressed(edge, header);
  if (edge.sender != nullptr) return cross(edge, header, text);
  if (!local_.full() || make_room()) local_.push(edge.edge, header, text);
}

// A reader may give the block back before the firing has completed, so the block gets all its readers now.
void Sending::prepare(OutPort& port, const PortClaim& claim, const Outgoing& token, Prepared& out) noexcept {
  port.pool->hold(claim.offset, port.takers(token.key, 0));
  for (OutEdge& edge : port.prepared) {
    if (!edge.takes(token.key, 0)) continue;
    ActivationPacket header;
    edge.write_header(header, {token.key.instance, edge.sent_tag(token.key.tag, 0), token.deadline, token.payload_bytes,
                               claim.offset, claim.region, edge.memory});
    count(edge, header);
    out.publications.push_back(edge.prepares->prepare(header));
    out.places.push_back({&edge, claim.offset});
  }
}

void Sending::withdraw(std::span<OutPort> ports, const FiringKey& key, std::span<const PortClaim> claims) noexcept {
  const PortClaim* next = claims.data();
  for (OutPort& port : ports) {
    const PortClaim* const claim = std::exchange(next, next + port.elements);
    if (port.prepared.empty()) {
      abort_port(port, port.elements, key, claim);
      continue;
    }
    untake(port.counts, key, 0);
    for (OutEdge& edge : port.sent) {
      if (!edge.takes(key, 0)) continue;
      edge.untake(key.instance);
      (void)port.pool->release(claim->offset);
    }
  }
}

void Sending::settle(const Prepared& prepared) noexcept {
  for (std::size_t k = 0; k < prepared.places.size(); ++k) {
    OutEdge& edge = *prepared.places[k].edge;
    if (prepared.publications[k].word == nullptr) edge.prepares->publish(prepared.publications[k]);
    edge.prepares->flush();
    bells_.ring_later(edge.channel);
  }
}

bool Sending::settle_as_poison(const Prepared& prepared, const ActivationPacket& poison,
                               std::span<const std::byte> text) noexcept {
  bool none_out = true;
  for (std::size_t k = 0; k < prepared.places.size(); ++k) {
    OutEdge& edge = *prepared.places[k].edge;
    bells_.ring_later(edge.channel);
    if (!edge.prepares->rewrite(prepared.publications[k], addressed(edge, poison), text)) {
      none_out = false;
      continue;
    }
    (void)edge.credits.give(poison.instance);
    (void)edge.pool->release(prepared.places[k].offset);
  }
  return none_out;
}

Status Sending::commit_sealed(OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept {
  const std::uint64_t at = std::uint64_t{header.offset} * kOffsetUnitBytes;
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && (header.flags & kInline) == 0)
    put_crc(header.region, wiring_.regions[header.region].subspan(at, header.payload_bytes));
  if (edge.sender == nullptr) {
    if (!local_.full() || make_room()) local_.push(edge.edge, header, text);
    return {};
  }
  count(edge, header);
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

bool Sending::claim_relay(OutPort& port, std::uint32_t elements, const FiringKey& key) noexcept {
  if (!take<false>(port.counts, key, 0)) return false;
  for (std::uint32_t e = 0; e < elements; ++e) {
    if (take<false>(port.edges, key, 0)) continue;
    abort_relay(port, e, key);
    return false;
  }
  return true;
}

void Sending::abort_relay(OutPort& port, std::uint32_t elements, const FiringKey& key) noexcept {
  untake(port.counts, key, 0);
  for (std::uint32_t e = 0; e < elements; ++e) untake(port.edges, key, 0);
}

void Sending::commit_relay(OutPort& port, const ActivationPacket& token, std::span<const std::byte> payload) noexcept {
  if (port.passed != nullptr)
    port.passed->hold(token.region, token.offset, static_cast<std::uint32_t>(port.edges.size()));
  for (OutEdge& edge : port.edges) {
    SentPacket packet{
        token.instance, edge.sent_tag(token.tag, 0),      token.deadline, token.payload_bytes, token.offset,
        token.region,   programs_.memory_of(token.region)};
    packet.flags = token.flags & kAbsent;
    send(edge, packet, payload);
  }
}

}  // namespace woa
