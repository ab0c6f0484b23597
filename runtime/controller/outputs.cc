#include "runtime/controller/outputs.h"

#include <algorithm>

namespace woa {
namespace {

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
      auto made = BlockPool::make(region.blocks, region.block_bytes);
      if (!made.ok()) return made.status().with_context("output of stage '" + plan.stages[region.stage].name + "'");
      pool = std::make_unique<BlockPool>(std::move(*made));
    }
    outputs->pools_.push_back(std::move(pool));
  }
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) outputs->edges_.push_back(outputs->make_book(e, controller));
  return outputs;
}

Outputs::Outputs(const Plan& plan, const Layout& layout, Wiring& wiring, LocalDelivery& local, ControllerStats& stats)
    : plan_(plan),
      layout_(layout),
      wiring_(wiring),
      local_(local),
      stats_(stats),
      is_to_wake_(plan.controllers.size(), 0),
      control_sequence_(plan.controllers.size(), 0) {
  to_wake_.reserve(plan.controllers.size());
}

Outputs::EdgeBook Outputs::make_book(std::uint32_t edge, std::uint32_t controller) const {
  const EdgePlan& plan = plan_.edges[edge];
  const EdgeLayout& layout = layout_.edges[edge];
  EdgeBook book;
  if (layout.from != controller) return book;
  book.credits = std::make_unique<EdgeCredits>(plan.min_blocks, plan.blocks);
  if (layout.crosses()) book.sender = wiring_.senders[layout.to].get();
  if (plan_.stages[plan.from_stage].role == StageRole::kRelay) return book;
  book.region = layout.regions.front();
  book.pool = pools_[book.region].get();
  return book;
}

// A place in the edge's ring for a token. Blocks alone would always leave one, but poison takes places without a block.
bool Outputs::reserve(std::uint32_t edge) noexcept {
  Sender* sender = edges_[edge].sender;
  if (sender == nullptr) return true;
  const Push push = sender->reserve();
  ring_was_full_ = ring_was_full_ || push == Push::kBackPressured;
  return push == Push::kOk;
}

void Outputs::return_credit(std::uint32_t edge, std::uint64_t instance) noexcept {
  (void)edges_[edge].credits->give(instance);  // taken by this very firing: cannot fail
}

Push Outputs::reserve_poison(std::uint32_t edge) noexcept {
  Sender* sender = edges_[edge].sender;
  return sender != nullptr ? sender->reserve() : Push::kOk;
}

void Outputs::cancel_poison(std::uint32_t edge) noexcept {
  if (Sender* sender = edges_[edge].sender; sender != nullptr) sender->cancel();
}

void Outputs::untake(std::uint32_t edge, std::uint64_t instance) noexcept {
  return_credit(edge, instance);
  cancel_poison(edge);
}

bool Outputs::claim(std::uint32_t stage, std::uint64_t instance, std::uint64_t oldest,
                    std::span<PortClaim> claims) noexcept {
  const auto& ports = layout_.out_edges[stage];
  for (const auto& port : ports) {
    for (const std::uint32_t e : port) {
      if (!edges_[e].credits->available(instance, oldest)) return false;
    }
  }
  for (std::uint32_t p = 0; p < ports.size(); ++p) {
    const auto region = static_cast<std::uint16_t>(layout_.region_of[stage][p]);
    claims[p].region = region;
    // Every block out there occupies a credit, so a free credit on each edge means a free block.
    bool ok = pools_[region]->claim(claims[p].offset);
    std::size_t taken = 0;
    for (; ok && taken < ports[p].size(); ++taken) {
      ok = reserve(ports[p][taken]);
      if (!ok) break;
      edges_[ports[p][taken]].credits->take(instance);
    }
    if (ok) continue;
    // A ring without a place, or a closed channel: undo this port and the ones before it.
    for (std::size_t k = 0; k < taken; ++k) untake(ports[p][k], instance);
    pools_[region]->hold(claims[p].offset, 0);
    for (std::uint32_t q = 0; q < p; ++q) abort(stage, q, claims[q], instance);
    return false;
  }
  return true;
}

void Outputs::abort(std::uint32_t stage, std::uint32_t port, const PortClaim& claim, std::uint64_t instance) noexcept {
  for (const std::uint32_t e : layout_.out_edges[stage][port]) untake(e, instance);
  pools_[claim.region]->hold(claim.offset, 0);
}

void Outputs::hold_block(const PortClaim& claim, std::uint32_t holders) noexcept {
  pools_[claim.region]->hold(claim.offset, holders);
}

void Outputs::commit(std::uint32_t stage, std::uint32_t port, const PortClaim& claim, std::uint64_t tag,
                     ActivationPacket header) noexcept {
  const auto& edges = layout_.out_edges[stage][port];
  hold_block(claim, static_cast<std::uint32_t>(edges.size()));
  header.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  header.origin = stage;
  header.device = header.payload_bytes == 0 ? std::uint8_t{0} : std::uint8_t{1};
  header.region = claim.region;
  header.offset = claim.offset;
  for (const std::uint32_t e : edges) {
    const EdgePlan& edge = plan_.edges[e];
    header.stage = edge.to_stage;
    header.port = static_cast<std::uint16_t>(edge.to_port);
    header.tag = (tag & edge.keep) + edge.step;
    send(e, header, {});
  }
}

Status Outputs::commit_sealed(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept {
  const EdgeLayout& layout = layout_.edges[edge];
  if (!layout.crosses()) {
    local_.deliver(edge, header, message);
    return {};
  }
  count(edge, header);
  wake_later(layout.to);
  return wiring_.senders[layout.to]->commit_sealed(header, as_bytes(message));
}

bool Outputs::claim_relay(std::uint32_t edge, std::uint64_t instance, std::uint64_t oldest) noexcept {
  if (!edges_[edge].credits->available(instance, oldest) || !reserve(edge)) return false;
  edges_[edge].credits->take(instance);
  return true;
}

void Outputs::abort_relay(std::uint32_t edge, std::uint64_t instance) noexcept { untake(edge, instance); }

void Outputs::commit_relay(std::uint32_t edge, ActivationPacket header) noexcept {
  const EdgePlan& plan = plan_.edges[edge];
  header.flags = static_cast<std::uint8_t>(header.flags & ~static_cast<unsigned>(kHeaderCrc));
  header.crc32c = 0;
  header.stage = plan.to_stage;
  header.port = static_cast<std::uint16_t>(plan.to_port);
  header.tag = (header.tag & plan.keep) + plan.step;
  send(edge, header, {});
}

Push Outputs::poison(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept {
  const Push push = reserve_poison(edge);
  if (push != Push::kOk) return push;
  ActivationPacket packet = header;
  packet.stage = plan_.edges[edge].to_stage;
  packet.port = static_cast<std::uint16_t>(plan_.edges[edge].to_port);
  send(edge, packet, message);
  return Push::kOk;
}

void Outputs::send(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept {
  Sender* sender = edges_[edge].sender;
  if (sender == nullptr) {
    local_.deliver(edge, header, message);
    return;
  }
  count(edge, header);
  sender->commit(header, as_bytes(message));
  wake_later(layout_.edges[edge].to);
}

void Outputs::count(std::uint32_t edge, const ActivationPacket& header) noexcept {
  EdgeStats& stats = stats_.edges[edge];
  ++stats.messages;
  if (layout_.edges[edge].first_to_controller && (header.flags & kInline) == 0)
    stats.payload_bytes += header.payload_bytes;
}

bool Outputs::names_region(const BlockReturn& block) const noexcept {
  if (edges_[block.edge].pool != nullptr) return block.region == edges_[block.edge].region;
  const auto& regions = layout_.edges[block.edge].regions;
  return std::find(regions.begin(), regions.end(), block.region) != regions.end();
}

Status Outputs::give_back(const BlockReturn& block) noexcept {
  if (block.edge >= edges_.size() || edges_[block.edge].credits == nullptr || !names_region(block) ||
      !edges_[block.edge].credits->give(block.instance)) {
    return {Code::kDataLoss, "gave back a block of edge " + std::to_string(block.edge) + " that it did not hold"};
  }
  // What a relay passed on is given back to its writer, by the controller.
  if (edges_[block.edge].pool == nullptr || edges_[block.edge].pool->release(block.offset)) return {};
  return {Code::kDataLoss, "gave back block " + std::to_string(block.offset) + " of region " +
                               std::to_string(block.region) + ", which nobody holds"};
}

bool Outputs::control(std::uint32_t controller, PacketKind kind, std::uint64_t instance) noexcept {
  Sender& sender = *wiring_.senders[controller];
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
  wake_later(controller);
  return true;
}

void Outputs::wake_later(std::uint32_t controller) noexcept {
  if (is_to_wake_[controller] != 0) return;
  is_to_wake_[controller] = 1;
  to_wake_.push_back(controller);
}

void Outputs::flush() noexcept {
  for (const std::uint32_t c : to_wake_) {
    is_to_wake_[c] = 0;
    // Either end rings the same bell.
    if (wiring_.senders[c] != nullptr) {
      wiring_.senders[c]->wake();
    } else {
      wiring_.receivers[c]->wake();
    }
  }
  to_wake_.clear();
}

}  // namespace woa
