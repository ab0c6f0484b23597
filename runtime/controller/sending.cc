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

bool is_bare(const ActivationPacket& header) noexcept {
  return header.payload_bytes == 0 || header.kind == static_cast<std::uint8_t>(PacketKind::kCount);
}

}  // namespace

// Credits and places for one token on every edge that takes it. False: some edge has none, or its channel is closed;
// nothing is taken.
bool Sending::take(std::span<OutEdge> edges, const FiringKey& key, std::uint64_t index) noexcept {
  for (std::size_t k = 0; k < edges.size(); ++k) {
    OutEdge& edge = edges[k];
    if (!edge.takes(key, index)) continue;
    const bool credit = edge.credits.take(key.instance, oldest_);
    const Push place = credit ? edge.reserve() : Push::kBackPressured;
    if (place == Push::kOk) continue;
    // Blocks alone would always leave a place in the ring, but poison takes places without a block.
    if (credit && place == Push::kBackPressured) ring_was_full_ = true;
    if (credit) (void)edge.credits.give(key.instance);
    untake(edges.first(k), key, index);
    return false;
  }
  return true;
}

void Sending::untake(std::span<OutEdge> edges, const FiringKey& key, std::uint64_t index) noexcept {
  for (OutEdge& edge : edges) {
    if (!edge.takes(key, index)) continue;
    (void)edge.credits.give(key.instance);  // taken by this very firing: cannot fail
    edge.cancel();
  }
}

bool Sending::claim(StageProgram& stage, const FiringKey& key, std::span<PortClaim> claims) noexcept {
  std::size_t done = 0;
  for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
    OutPort& port = stage.outputs[p];
    if (!take(port.counts, key, 0)) {
      abort_first(stage.outputs, key, claims.first(done), p);
      return false;
    }
    for (std::uint32_t e = 0; e < port.elements; ++e, ++done) {
      if (claim_token(port, e, key, claims[done])) continue;
      abort_first(stage.outputs, key, claims.first(done), p + 1);
      return false;
    }
  }
  return true;
}

// False: as take().
bool Sending::claim_token(OutPort& port, std::uint32_t element, const FiringKey& key, PortClaim& claim) noexcept {
  if (!take(port.edges, key, port.index_of(element))) return false;
  if (port.pool == nullptr) return true;
  if (!port.pool->claim(claim.offset)) {
    // Every block out there occupies a credit, so a free credit on each edge that takes it means a free block; unless a
    // port's edges are taken by few of its readers.
    untake(port.edges, key, port.index_of(element));
    return false;
  }
  claim.region = port.region;
  claim.block = port.block(claim.offset);
  return true;
}

void Sending::abort_token(OutPort& port, std::uint32_t element, const FiringKey& key, const PortClaim& claim) noexcept {
  untake(port.edges, key, port.index_of(element));
  if (port.pool != nullptr) port.pool->hold(claim.offset, 0);
}

// As many tokens as there are claims, and the counts of the first `counts` ports.
void Sending::abort_first(std::span<OutPort> ports, const FiringKey& key, std::span<const PortClaim> claims,
                          std::uint32_t counts) noexcept {
  std::size_t done = 0;
  for (OutPort& port : ports.first(counts)) {
    untake(port.counts, key, 0);
    for (std::uint32_t e = 0; e < port.elements && done < claims.size(); ++e, ++done)
      abort_token(port, e, key, claims[done]);
  }
}

void Sending::abort(StageProgram& stage, const FiringKey& key, std::span<const PortClaim> claims) noexcept {
  abort_first(stage.outputs, key, claims, static_cast<std::uint32_t>(stage.outputs.size()));
}

void Sending::abort_one(OutPort& port, std::uint32_t element, const FiringKey& key, const PortClaim& claim) noexcept {
  if (!port.scatters) untake(port.counts, key, 0);
  abort_token(port, element, key, claim);
}

void Sending::commit(std::uint32_t stage, OutPort& port, std::uint32_t element, const PortClaim& claim,
                     const Outgoing& token) noexcept {
  const std::uint64_t index = port.index_of(element);
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.flags = token.absent ? static_cast<std::uint8_t>(kAbsent) : std::uint8_t{0};
  header.instance = token.key.instance;
  header.deadline = token.deadline;
  header.origin = stage;
  header.region = claim.region;
  header.offset = claim.offset;
  header.payload_bytes = token.payload_bytes;
  const std::span<const std::byte> payload(claim.block, token.payload_bytes);
  std::uint32_t holders = 0;
  for (const OutEdge& edge : port.edges) holders += edge.takes(token.key, index) ? 1U : 0U;
  if (port.pool != nullptr) port.pool->hold(claim.offset, holders);
  put_crc(claim.region, payload);
  for (OutEdge& edge : port.edges) {
    if (!edge.takes(token.key, index)) continue;
    header.tag = edge.sent_tag(token.key.tag, index);
    forward(edge, header, payload, port.kind);
  }
}

void Sending::commit_count(std::uint32_t stage, OutPort& port, std::uint32_t elements, const FiringKey& key,
                           std::uint64_t deadline) noexcept {
  if (port.counts.empty()) return;
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kCount);
  header.instance = key.instance;
  header.deadline = deadline;
  header.origin = stage;
  header.payload_bytes = elements;
  for (OutEdge& edge : port.counts) {
    if (!edge.takes(key, 0)) continue;
    header.tag = edge.sent_tag(key.tag, 0);
    send(edge, header, {});
  }
}

Status Sending::commit_sealed(OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept {
  const std::uint64_t at = std::uint64_t{header.offset} * kOffsetUnitBytes;
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && (header.flags & kInline) == 0)
    put_crc(header.region, wiring_.regions[header.region].subspan(at, header.payload_bytes));
  if (edge.sender == nullptr) {
    deliver(edge, header, text);
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
  if (!take(port.counts, key, 0)) return false;
  for (std::uint32_t e = 0; e < elements; ++e) {
    if (take(port.edges, key, 0)) continue;
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
  ActivationPacket header = token;
  header.crc32c = 0;
  const MemoryKind memory = programs_.region(token.region).memory();
  for (OutEdge& edge : port.edges) {
    header.tag = edge.sent_tag(token.tag, 0);
    forward(edge, header, payload, memory);
  }
}

// Sends a token whose payload is `payload` and lies in the block that `header` names, in memory of that kind.
void Sending::forward(OutEdge& edge, ActivationPacket& header, std::span<const std::byte> payload,
                      MemoryKind memory) noexcept {
  const bool inlined = !payload.empty() && payload.size() <= edge.inline_bytes;
  header.flags = static_cast<std::uint8_t>((header.flags & kAbsent) | (inlined ? unsigned{kInline} : 0U));
  header.device = inlined || header.payload_bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(memory);
  header.ordinal = 0;
  send(edge, header, inlined ? payload : std::span<const std::byte>());
}

// Behind the payload, if it may take a wire: at once or when a relay passes it on, which may only read it.
void Sending::put_crc(std::uint16_t region, std::span<const std::byte> payload) noexcept {
  if (payload.empty() || layout_.regions[region].crc_room == 0) return;
  const std::span<std::byte> memory = wiring_.regions[region];
  put_payload_crc(memory.data() + (payload.data() - memory.data()), payload.size());
}

void Sending::send(OutEdge& edge, ActivationPacket& header, std::span<const std::byte> text) noexcept {
  header.stage = edge.stage;
  header.port = edge.port;
  if (edge.sender == nullptr) return deliver(edge, header, text);
  cross(edge, header, text);
}

void Sending::deliver(OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept {
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kPoison) && header.instance < oldest_) {
    ++stats_.dropped;
    return;
  }
  // Without poison of retired instances there is at most one for each edge and instance in flight, and a token for each
  // block.
  if (local_.full()) stats_.dropped += local_.drop_poison(oldest_);
  if (local_.full())
    return failure_.set({Code::kInternal,
                         "there are more packets inside a controller than blocks and instances in "
                         "flight: " +
                             to_string(header)});
  local_.push(edge.edge, header, text);
}

void Sending::cross(OutEdge& edge, const ActivationPacket& header, std::span<const std::byte> text) noexcept {
  count(edge, header);
  bells_.ring_later(edge.channel);
  if (!edge.payload_crc || is_bare(header)) return edge.sender->commit(header, text);
  ActivationPacket packet = header;
  packet.flags |= kPayloadCrc;
  InlineCrc sealed;
  edge.sender->commit(packet, sealed.add(text));
}

void Sending::count(const OutEdge& edge, const ActivationPacket& header) noexcept {
  ++edge.stats->messages;
  const bool token = header.kind == static_cast<std::uint8_t>(PacketKind::kActivate);
  if (token && edge.counts_payload) edge.stats->payload_bytes += header.payload_bytes;
}

}  // namespace woa
