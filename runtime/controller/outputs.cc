#include "runtime/controller/outputs.h"

#include <algorithm>
#include <array>
#include <map>

#include "runtime/packet/payload_crc.h"

namespace woa {
namespace {

constexpr std::uint8_t kHostMemory = 1;  // docs/packet.md, Memories

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

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

Result<std::unique_ptr<Outputs>> Outputs::make(const Plan& plan, const Layout& layout, std::uint32_t controller,
                                               Wiring& wiring, LocalDelivery& local, ControllerStats& stats) {
  std::unique_ptr<Outputs> outputs(new Outputs(plan, layout, wiring, local, stats));
  for (const RegionLayout& region : layout.regions) {
    std::unique_ptr<BlockPool> pool;
    if (region.producer == controller) {
      auto made = BlockPool::make(region.blocks, region.carried_bytes(), region.header_room);
      if (!made.ok())
        return made.status().with_context("output of stage '" + plan.stages[region.stage].name +
                                          "': lower the window or the port's bound");
      pool = std::make_unique<BlockPool>(std::move(*made));
    }
    outputs->pools_.push_back(std::move(pool));
  }
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) outputs->edges_.push_back(outputs->make_edge(e, controller));
  outputs->ports_.resize(plan.stages.size());
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    if (plan.stages[s].controller != controller) continue;
    for (std::uint32_t p = 0; p < plan.stages[s].outputs.size(); ++p)
      outputs->ports_[s].push_back(outputs->make_port(s, p));
  }
  return outputs;
}

Outputs::Outputs(const Plan& plan, const Layout& layout, Wiring& wiring, LocalDelivery& local, ControllerStats& stats)
    : plan_(plan),
      layout_(layout),
      wiring_(wiring),
      local_(local),
      stats_(stats),
      is_to_wake_(layout.channels.size(), 0) {
  to_wake_.reserve(layout.channels.size());
  choose_bells();
}

// In shared memory every end towards a controller rings the same bell: one of them does it for all. Over a wire each
// end tells what it has to tell.
void Outputs::choose_bells() {
  std::map<std::uint32_t, std::uint32_t> bell_of;  // by controller
  bell_.resize(layout_.channels.size());
  for (auto c = static_cast<std::uint32_t>(bell_.size()); c-- > 0;) {
    const ChannelLayout& channel = layout_.channels[c];
    bell_[c] = c;
    if (channel.wire || (wiring_.senders[c] == nullptr && wiring_.receivers[c] == nullptr)) continue;
    bell_[c] = bell_of.emplace(wiring_.senders[c] != nullptr ? channel.to : channel.from, c).first->second;
  }
}

Outputs::EdgeBook Outputs::make_edge(std::uint32_t edge, std::uint32_t controller) const {
  const EdgePlan& plan = plan_.edges[edge];
  const EdgeLayout& layout = layout_.edges[edge];
  EdgeBook book;
  if (layout.from != controller) return book;
  book.starts_here = true;
  book.inline_bytes = layout.inline_bytes;
  book.counts_payload = layout.counts_payload;
  book.payload_crc = layout.payload_crc;
  book.port = static_cast<std::uint16_t>(plan.to_port);
  book.stage = plan.to_stage;
  book.channel = layout.channel;
  book.edge = edge;
  book.keep = plan.keep;
  book.step = plan.step;
  book.credits = EdgeCredits(plan.min_blocks, plan.blocks);
  book.choice = plan.choice;
  book.count = plan.count;
  if (layout.crosses()) book.sender = wiring_.senders[layout.channel].get();
  const std::int32_t region = layout_.region_of[plan.from_stage][plan.from_port];
  if (region < 0 || plan.count) return book;
  book.region = static_cast<std::uint16_t>(region);
  book.pool = pools_[book.region].get();
  return book;
}

Outputs::PortBook Outputs::make_port(std::uint32_t stage, std::uint32_t port) {
  PortBook book;
  for (const std::uint32_t e : layout_.out_edges[stage][port]) book.edges.push_back(&edges_[e]);
  for (const std::uint32_t e : layout_.out_counts[stage][port]) book.counts.push_back(&edges_[e]);
  const OutputPortPlan& plan = plan_.stages[stage].outputs[port];
  book.elements = std::max(plan.many, 1U);
  book.index_shift = plan.index_shift;
  const std::int32_t region = layout_.region_of[stage][port];
  if (region < 0) {
    std::size_t blocks = 0;
    for (const std::uint32_t e : layout_.out_edges[stage][port]) blocks += plan_.edges[e].blocks;
    if (book.edges.size() > 1) book.passed = std::make_unique<PassedBlocks>(blocks);
    return book;
  }
  book.region = static_cast<std::uint16_t>(region);
  book.pool = pools_[book.region].get();
  book.memory = wiring_.regions[book.region];
  return book;
}

// A place in the edge's ring for a token. Blocks alone would always leave one, but poison takes places without a block.
bool Outputs::reserve(EdgeBook& book) noexcept {
  if (book.sender == nullptr) return true;
  const Push push = book.sender->reserve();
  if (push == Push::kBackPressured) ring_was_full_ = true;
  return push == Push::kOk;
}

void Outputs::return_credit(std::uint32_t edge, std::uint64_t instance) noexcept {
  (void)edges_[edge].credits.give(instance);  // taken by this very firing: cannot fail
}

// Credits and places for one token on every edge that takes it. False: a ring has no place or a channel is closed;
// nothing is taken.
bool Outputs::take(std::span<EdgeBook* const> edges, const FiringKey& key, std::uint64_t index) noexcept {
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (!edges[k]->takes(key, index)) continue;
    if (!reserve(*edges[k])) {
      untake(edges.first(k), key, index);
      return false;
    }
    edges[k]->credits.take(key.instance);
  }
  return true;
}

void Outputs::untake(std::span<EdgeBook* const> edges, const FiringKey& key, std::uint64_t index) noexcept {
  for (EdgeBook* edge : edges) {
    if (!edge->takes(key, index)) continue;
    (void)edge->credits.give(key.instance);
    if (edge->sender != nullptr) edge->sender->cancel();
  }
}

// For so many elements, and their number.
bool Outputs::has_credits(const PortBook& port, std::uint32_t elements, const FiringKey& key,
                          std::uint64_t oldest) noexcept {
  for (const EdgeBook* edge : port.edges) {
    std::uint32_t wanted = edge->choice.replicas == 1 ? elements : 0;
    for (std::uint32_t e = 0; edge->choice.replicas != 1 && e < elements; ++e)
      wanted += edge->takes(key, port.index_of(e)) ? 1U : 0U;
    if (wanted > 0 && !edge->credits.available(key.instance, oldest, wanted)) return false;
  }
  return std::all_of(port.counts.begin(), port.counts.end(), [&](const EdgeBook* edge) {
    return !edge->takes(key, 0) || edge->credits.available(key.instance, oldest);
  });
}

std::size_t Outputs::claims_of(std::uint32_t stage) const noexcept {
  std::size_t claims = 0;
  for (const PortBook& port : ports_[stage]) claims += port.elements;
  return claims;
}

bool Outputs::claim(std::uint32_t stage, const FiringKey& key, std::uint64_t oldest,
                    std::span<PortClaim> claims) noexcept {
  std::vector<PortBook>& ports = ports_[stage];
  for (const PortBook& port : ports) {
    if (!has_credits(port, port.elements, key, oldest)) return false;
  }
  std::size_t done = 0;
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (!take(ports[p].counts, key, 0)) {
      abort_first(ports, p, key, claims.first(done));
      return false;
    }
    for (std::uint32_t e = 0; e < ports[p].elements; ++e, ++done) {
      if (claim_token(ports[p], e, key, claims[done])) continue;
      abort_first(ports, p + 1, key, claims.first(done));
      return false;
    }
  }
  return true;
}

// False: as take().
bool Outputs::claim_token(PortBook& port, std::uint32_t element, const FiringKey& key, PortClaim& claim) noexcept {
  // Every block out there occupies a credit, so a free credit on each edge that takes it means a free block.
  if (port.pool != nullptr && !port.pool->claim(claim.offset)) return false;
  if (!take(port.edges, key, port.index_of(element))) {
    if (port.pool != nullptr) port.pool->hold(claim.offset, 0);
    return false;
  }
  if (port.pool == nullptr) return true;
  claim.region = port.region;
  claim.block =
      port.memory.subspan(std::size_t{claim.offset} * kOffsetUnitBytes, layout_.regions[port.region].block_bytes);
  return true;
}

void Outputs::abort_token(PortBook& port, std::uint32_t element, const FiringKey& key,
                          const PortClaim& claim) noexcept {
  untake(port.edges, key, port.index_of(element));
  if (port.pool != nullptr) port.pool->hold(claim.offset, 0);
}

// The counts of the ports that were begun, and as many tokens as there are claims.
void Outputs::abort_first(std::span<PortBook> ports, std::size_t begun, const FiringKey& key,
                          std::span<const PortClaim> claims) noexcept {
  std::size_t done = 0;
  for (PortBook& port : ports.first(begun)) {
    untake(port.counts, key, 0);
    for (std::uint32_t e = 0; e < port.elements && done < claims.size(); ++e, ++done)
      abort_token(port, e, key, claims[done]);
  }
}

void Outputs::abort(std::uint32_t stage, const FiringKey& key, std::span<const PortClaim> claims) noexcept {
  abort_first(ports_[stage], ports_[stage].size(), key, claims);
}

void Outputs::abort_one(std::uint32_t stage, std::uint32_t port, std::uint32_t element, const PortClaim& claim,
                        const FiringKey& key) noexcept {
  PortBook& book = ports_[stage][port];
  if (plan_.stages[stage].outputs[port].many == 0) untake(book.counts, key, 0);
  abort_token(book, element, key, claim);
}

void Outputs::abort_counts(std::uint32_t stage, const FiringKey& key) noexcept {
  for (PortBook& port : ports_[stage]) untake(port.counts, key, 0);
}

void Outputs::hold_block(const PortClaim& claim, std::uint32_t holders) noexcept {
  pools_[claim.region]->hold(claim.offset, holders);
}

void Outputs::commit(std::uint32_t stage, std::uint32_t port, std::uint32_t element, const PortClaim& claim,
                     std::uint64_t tag, ActivationPacket& header) noexcept {
  const PortBook& book = ports_[stage][port];
  const std::uint64_t index = book.index_of(element);
  const auto takes = [&](const EdgeBook* edge) { return edge->takes({header.instance, tag}, index); };
  if (book.pool != nullptr)
    book.pool->hold(claim.offset,
                    static_cast<std::uint32_t>(std::count_if(book.edges.begin(), book.edges.end(), takes)));
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.origin = stage;
  header.region = claim.region;
  header.offset = claim.offset;
  const std::span<const std::byte> payload = claim.block.first(header.payload_bytes);
  put_crc(claim.region, payload);
  for (const EdgeBook* edge : book.edges) {
    if (takes(edge)) forward(*edge, header, edge->sent_tag(tag, index), payload);
  }
}

std::vector<std::uint32_t> Outputs::takers(std::uint32_t stage, std::uint32_t port, std::uint32_t element,
                                           const FiringKey& key) const {
  const PortBook& book = ports_[stage][port];
  std::vector<std::uint32_t> edges;
  for (const EdgeBook* edge : book.edges)
    if (edge->takes(key, book.index_of(element))) edges.push_back(edge->edge);
  return edges;
}

void Outputs::commit_count(std::uint32_t stage, std::uint32_t port, std::uint32_t elements, std::uint64_t tag,
                           ActivationPacket& header) noexcept {
  header.kind = static_cast<std::uint8_t>(PacketKind::kCount);
  header.flags = header.device = header.ordinal = 0;
  header.origin = stage;
  header.region = 0;
  header.offset = 0;
  header.payload_bytes = elements;
  for (const EdgeBook* edge : ports_[stage][port].counts) {
    if (!edge->takes({header.instance, tag}, 0)) continue;
    header.stage = edge->stage;
    header.port = edge->port;
    header.tag = edge->sent_tag(tag, 0);
    send(*edge, header, {});
  }
}

Status Outputs::commit_sealed(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept {
  const EdgeBook& book = edges_[edge];
  const std::uint64_t at = std::uint64_t{header.offset} * kOffsetUnitBytes;
  if (header.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && (header.flags & kInline) == 0)
    put_crc(header.region, wiring_.regions[header.region].subspan(at, header.payload_bytes));
  if (book.sender == nullptr) {
    local_.deliver(edge, header, as_bytes(message));
    return {};
  }
  count(book, header);
  wake_later(book.channel);
  if (!book.payload_crc || header.payload_bytes == 0 || check(header) != Rejection::kNone)
    return book.sender->commit_sealed(header, as_bytes(message));
  // The device seals headers and knows no CRC of payloads.
  ActivationPacket packet = header;
  packet.flags |= kPayloadCrc;
  seal(packet);
  InlineCrc sealed;
  return book.sender->commit_sealed(packet, sealed.add(as_bytes(message)));
}

bool Outputs::claim_relay(std::uint32_t stage, std::uint32_t port, std::uint32_t elements, const FiringKey& key,
                          std::uint64_t oldest) noexcept {
  PortBook& book = ports_[stage][port];
  if (!has_credits(book, elements, key, oldest) || !take(book.counts, key, 0)) return false;
  for (std::uint32_t e = 0; e < elements; ++e) {
    if (take(book.edges, key, 0)) continue;
    abort_relay(stage, port, e, key);
    return false;
  }
  return true;
}

void Outputs::abort_relay(std::uint32_t stage, std::uint32_t port, std::uint32_t elements,
                          const FiringKey& key) noexcept {
  PortBook& book = ports_[stage][port];
  untake(book.counts, key, 0);
  for (std::uint32_t e = 0; e < elements; ++e) untake(book.edges, key, 0);
}

void Outputs::commit_relay(std::uint32_t stage, std::uint32_t port, const ActivationPacket& token,
                           std::span<const std::byte> payload) noexcept {
  const PortBook& book = ports_[stage][port];
  if (book.passed != nullptr)
    book.passed->hold(token.region, token.offset, static_cast<std::uint32_t>(book.edges.size()));
  ActivationPacket header = token;
  header.crc32c = 0;
  for (const EdgeBook* edge : book.edges) forward(*edge, header, edge->sent_tag(token.tag, 0), payload);
}

// Sends a token of that tag whose payload is `payload` and lies in the block that `header` names.
void Outputs::forward(const EdgeBook& book, ActivationPacket& header, std::uint64_t tag,
                      std::span<const std::byte> payload) noexcept {
  const bool inlined = !payload.empty() && payload.size() <= book.inline_bytes;
  header.flags = static_cast<std::uint8_t>((header.flags & kAbsent) | (inlined ? unsigned{kInline} : 0U));
  header.device = inlined || payload.empty() ? std::uint8_t{0} : kHostMemory;
  header.ordinal = 0;
  header.stage = book.stage;
  header.port = book.port;
  header.tag = tag;
  send(book, header, inlined ? payload : std::span<const std::byte>());
}

// Behind the payload, if it may take a wire: at once or when a relay passes it on, which may only read it.
void Outputs::put_crc(std::uint16_t region, std::span<const std::byte> payload) noexcept {
  if (payload.empty() || layout_.regions[region].crc_room == 0) return;
  const std::span<std::byte> memory = wiring_.regions[region];
  put_payload_crc(memory.data() + (payload.data() - memory.data()), payload.size());
}

void Outputs::send(const EdgeBook& book, const ActivationPacket& header,
                   std::span<const std::byte> inline_payload) noexcept {
  if (book.sender == nullptr) {
    local_.deliver(book.edge, header, inline_payload);
    return;
  }
  count(book, header);
  wake_later(book.channel);
  const bool bare = header.payload_bytes == 0 || header.kind == static_cast<std::uint8_t>(PacketKind::kCount);
  if (!book.payload_crc || bare) return book.sender->commit(header, inline_payload);
  ActivationPacket packet = header;
  packet.flags |= kPayloadCrc;
  InlineCrc sealed;
  book.sender->commit(packet, sealed.add(inline_payload));
}

void Outputs::count(const EdgeBook& book, const ActivationPacket& header) noexcept {
  EdgeStats& stats = stats_.edges[book.edge];
  ++stats.messages;
  const bool token = header.kind == static_cast<std::uint8_t>(PacketKind::kActivate);
  if (token && book.counts_payload) stats.payload_bytes += header.payload_bytes;
}

bool Outputs::names_region(const EdgeBook& book, const BlockReturn& block) const noexcept {
  if (book.pool != nullptr) return block.region == book.region;
  const auto& regions = layout_.edges[book.edge].regions;
  return std::find(regions.begin(), regions.end(), block.region) != regions.end();
}

Result<bool> Outputs::give_back(const BlockReturn& block) noexcept {
  const bool counted = block.edge < edges_.size() && edges_[block.edge].count;
  if (block.edge >= edges_.size() || !edges_[block.edge].starts_here ||
      (!counted && !names_region(edges_[block.edge], block)) || !edges_[block.edge].credits.give(block.instance)) {
    return {Code::kDataLoss, "gave back a block of edge " + std::to_string(block.edge) + " that it did not hold"};
  }
  if (counted) return false;
  using Release = PassedBlocks::Release;
  const EdgePlan& edge = plan_.edges[block.edge];
  PortBook& book = ports_[edge.from_stage][edge.from_port];
  if (book.pool == nullptr) {
    const Release last = book.passed == nullptr ? Release::kLast : book.passed->release(block.region, block.offset);
    if (last != Release::kNotHeld) return last == Release::kLast;
  } else if (book.pool->release(block.offset)) {
    return false;
  }
  return {Code::kDataLoss, "gave back block " + std::to_string(block.offset) + " of region " +
                               std::to_string(block.region) + ", which nobody holds"};
}

bool Outputs::control(std::uint32_t controller, PacketKind kind, std::uint64_t instance) noexcept {
  const std::uint32_t channel = layout_.control_of[controller];
  Sender& sender = *wiring_.senders[channel];
  if (sender.reserve() != Push::kOk) return false;
  if (kind != PacketKind::kEnd) {  // all places are free only once the previous one was read
    const Push second = sender.reserve();
    sender.cancel();
    if (second != Push::kOk) return false;
  }
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(kind);
  packet.instance = instance;
  packet.origin = kNoStage;
  sender.commit(packet);
  ++stats_.control;
  wake_later(channel);
  return true;
}

void Outputs::wake_later(std::uint32_t channel) noexcept {
  const std::uint32_t bell = bell_[channel];
  if (is_to_wake_[bell] != 0) return;
  is_to_wake_[bell] = 1;
  to_wake_.push_back(bell);
}

void Outputs::flush() noexcept {
  for (const std::uint32_t c : to_wake_) {
    is_to_wake_[c] = 0;
    if (Sender* const sender = wiring_.senders[c].get(); sender != nullptr) {
      sender->wake();
    } else {
      wiring_.receivers[c]->wake();
    }
  }
  to_wake_.clear();
}

}  // namespace woa
