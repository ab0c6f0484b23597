#include "runtime/controller/outputs.h"

#include <algorithm>
#include <map>

namespace woa {
namespace {

constexpr std::uint8_t kHostMemory = 1;  // docs/packet.md, Memories

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace

Result<std::unique_ptr<Outputs>> Outputs::make(const Plan& plan, const Layout& layout, std::uint32_t controller,
                                               Wiring& wiring, LocalDelivery& local, ControllerStats& stats) {
  std::unique_ptr<Outputs> outputs(new Outputs(plan, layout, wiring, local, stats));
  for (const RegionLayout& region : layout.regions) {
    std::unique_ptr<BlockPool> pool;
    if (region.producer == controller) {
      auto made = BlockPool::make(region.blocks, region.block_bytes, region.header_room);
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
      is_to_wake_(layout.channels.size(), 0),
      control_sequence_(plan.controllers.size(), 0) {
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
  book.counts_payload = layout.first_to_controller;
  book.port = static_cast<std::uint16_t>(plan.to_port);
  book.stage = plan.to_stage;
  book.channel = layout.channel;
  book.edge = edge;
  book.keep = plan.keep;
  book.step = plan.step;
  book.credits = EdgeCredits(plan.min_blocks, plan.blocks);
  book.replicas = plan.replicas;
  book.replica = plan.replica;
  if (layout.crosses()) book.sender = wiring_.senders[layout.channel].get();
  const std::int32_t region = layout_.region_of[plan.from_stage][plan.from_port];
  if (region < 0) return book;
  book.region = static_cast<std::uint16_t>(region);
  book.pool = pools_[book.region].get();
  return book;
}

Outputs::PortBook Outputs::make_port(std::uint32_t stage, std::uint32_t port) {
  PortBook book;
  for (const std::uint32_t e : layout_.out_edges[stage][port]) book.edges.push_back(&edges_[e]);
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

Push Outputs::reserve_poison(std::uint32_t edge) noexcept {
  Sender* sender = edges_[edge].sender;
  return sender != nullptr ? sender->reserve() : Push::kOk;
}

void Outputs::cancel_poison(std::uint32_t edge) noexcept {
  if (Sender* sender = edges_[edge].sender; sender != nullptr) sender->cancel();
}

void Outputs::untake(EdgeBook& book, std::uint64_t instance) noexcept {
  if (!book.takes(instance)) return;
  (void)book.credits.give(instance);
  if (book.sender != nullptr) book.sender->cancel();
}

bool Outputs::has_credits(const PortBook& port, std::uint64_t instance, std::uint64_t oldest) noexcept {
  return std::all_of(port.edges.begin(), port.edges.end(), [&](const EdgeBook* edge) {
    return !edge->takes(instance) || edge->credits.available(instance, oldest);
  });
}

bool Outputs::claim(std::uint32_t stage, std::uint64_t instance, std::uint64_t oldest,
                    std::span<PortClaim> claims) noexcept {
  std::vector<PortBook>& ports = ports_[stage];
  for (const PortBook& port : ports) {
    if (!has_credits(port, instance, oldest)) return false;
  }
  for (std::uint32_t p = 0; p < ports.size(); ++p) {
    if (claim_port(ports[p], instance, claims[p])) continue;
    for (std::uint32_t q = 0; q < p; ++q) abort(stage, q, claims[q], instance);
    return false;
  }
  return true;
}

// False: a ring has no place or a channel is closed; nothing is taken.
bool Outputs::claim_port(PortBook& port, std::uint64_t instance, PortClaim& claim) noexcept {
  // Every block out there occupies a credit, so a free credit on each edge that takes it means a free block.
  if (port.pool != nullptr && !port.pool->claim(claim.offset)) return false;
  for (std::size_t k = 0; k < port.edges.size(); ++k) {
    if (!port.edges[k]->takes(instance)) continue;
    if (reserve(*port.edges[k])) {
      port.edges[k]->credits.take(instance);
      continue;
    }
    while (k > 0) untake(*port.edges[--k], instance);
    if (port.pool != nullptr) port.pool->hold(claim.offset, 0);
    return false;
  }
  if (port.pool == nullptr) return true;
  claim.region = port.region;
  claim.block = port.memory.subspan(std::size_t{claim.offset} * kOffsetUnitBytes, port.pool->block_bytes());
  return true;
}

void Outputs::abort(std::uint32_t stage, std::uint32_t port, const PortClaim& claim, std::uint64_t instance) noexcept {
  PortBook& book = ports_[stage][port];
  for (EdgeBook* edge : book.edges) untake(*edge, instance);
  if (book.pool != nullptr) book.pool->hold(claim.offset, 0);
}

void Outputs::hold_block(const PortClaim& claim, std::uint32_t holders) noexcept {
  pools_[claim.region]->hold(claim.offset, holders);
}

void Outputs::commit(std::uint32_t stage, std::uint32_t port, const PortClaim& claim, std::uint64_t tag,
                     ActivationPacket& header) noexcept {
  const PortBook& book = ports_[stage][port];
  const auto takes = [&](const EdgeBook* edge) { return edge->takes(header.instance); };
  if (book.pool != nullptr)
    book.pool->hold(claim.offset,
                    static_cast<std::uint32_t>(std::count_if(book.edges.begin(), book.edges.end(), takes)));
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.origin = stage;
  header.region = claim.region;
  header.offset = claim.offset;
  const std::span<const std::byte> payload = claim.block.first(header.payload_bytes);
  for (const EdgeBook* edge : book.edges) {
    if (takes(edge)) forward(*edge, header, tag, payload);
  }
}

Status Outputs::commit_sealed(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept {
  const EdgeBook& book = edges_[edge];
  if (book.sender == nullptr) {
    local_.deliver(edge, header, as_bytes(message));
    return {};
  }
  count(book, header);
  wake_later(book.channel);
  return book.sender->commit_sealed(header, as_bytes(message));
}

bool Outputs::claim_relay(std::uint32_t stage, std::uint32_t port, std::uint64_t instance,
                          std::uint64_t oldest) noexcept {
  PortBook& book = ports_[stage][port];
  PortClaim none;
  return has_credits(book, instance, oldest) && claim_port(book, instance, none);
}

void Outputs::commit_relay(std::uint32_t stage, std::uint32_t port, const ActivationPacket& token,
                           std::span<const std::byte> payload) noexcept {
  const PortBook& book = ports_[stage][port];
  if (book.passed != nullptr)
    book.passed->hold(token.region, token.offset, static_cast<std::uint32_t>(book.edges.size()));
  ActivationPacket header = token;
  header.crc32c = 0;
  for (const EdgeBook* edge : book.edges) forward(*edge, header, token.tag, payload);
}

// Sends a token whose payload is `payload` and lies in the block that `header` names.
void Outputs::forward(const EdgeBook& book, ActivationPacket& header, std::uint64_t tag,
                      std::span<const std::byte> payload) noexcept {
  const bool inlined = !payload.empty() && payload.size() <= book.inline_bytes;
  header.flags = static_cast<std::uint8_t>((header.flags & kAbsent) | (inlined ? kInline : 0U));
  header.device = inlined || payload.empty() ? std::uint8_t{0} : kHostMemory;
  header.ordinal = 0;
  header.stage = book.stage;
  header.port = book.port;
  header.tag = (tag & book.keep) + book.step;
  send(book, header, inlined ? payload : std::span<const std::byte>());
}

Push Outputs::poison(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept {
  const Push push = reserve_poison(edge);
  if (push != Push::kOk) return push;
  const EdgeBook& book = edges_[edge];
  ActivationPacket packet = header;
  packet.stage = book.stage;
  packet.port = book.port;
  send(book, packet, as_bytes(message));
  return Push::kOk;
}

void Outputs::send(const EdgeBook& book, const ActivationPacket& header,
                   std::span<const std::byte> inline_payload) noexcept {
  if (book.sender == nullptr) {
    local_.deliver(book.edge, header, inline_payload);
    return;
  }
  count(book, header);
  book.sender->commit(header, inline_payload);
  wake_later(book.channel);
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
  if (block.edge >= edges_.size() || !edges_[block.edge].starts_here || !names_region(edges_[block.edge], block) ||
      !edges_[block.edge].credits.give(block.instance)) {
    return {Code::kDataLoss, "gave back a block of edge " + std::to_string(block.edge) + " that it did not hold"};
  }
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
  const bool unread = static_cast<std::int32_t>(control_sequence_[controller] - sender.consumed()) > 0;
  if (unread && kind != PacketKind::kEnd) return false;
  if (sender.reserve() != Push::kOk) return false;
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(kind);
  packet.instance = instance;
  packet.origin = kNoStage;
  control_sequence_[controller] = sender.next_sequence();
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
