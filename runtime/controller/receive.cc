// Packets in: every field is checked against this controller's own tables before it is believed.
#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/controller/controller.h"

namespace woa {

void Controller::deliver(std::uint32_t edge, const ActivationPacket& packet, std::string_view message) noexcept {
  LocalPacket& place = local_[(local_head_ + local_count_) % local_.size()];
  ++local_count_;
  place.edge = edge;
  place.packet = packet;
  std::copy_n(message.data(), std::min(message.size(), place.message.size()), place.message.data());
}

std::size_t Controller::drain_local() noexcept {
  std::size_t done = 0;
  for (; local_count_ > 0; ++done) {
    const LocalPacket place = local_[local_head_];  // a copy: reading it may deliver more
    const bool poison = place.packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
    const std::string_view message(place.message.data(),
                                   poison ? static_cast<std::size_t>(place.packet.payload_bytes) : 0);
    if (!(poison ? on_poison(place.packet, message) : on_token(place.edge, place.packet))) return done;
    local_head_ = (local_head_ + 1) % local_.size();
    --local_count_;
  }
  return done;
}

// The edge that a packet of `from` came by, kNone if the plan has none such.
std::uint32_t Controller::find_edge(std::uint32_t from, const ActivationPacket& packet) const noexcept {
  if (packet.stage >= books_.size() || !books_[packet.stage].local) return kNone;
  const auto& ports = layout_.in_edges[packet.stage];
  if (packet.port >= ports.size()) return kNone;
  const bool poison = packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
  for (const std::uint32_t e : ports[packet.port]) {
    const EdgeLayout& edge = layout_.edges[e];
    if (edge.from != from) continue;
    if (poison || std::find(edge.regions.begin(), edge.regions.end(), packet.region) != edge.regions.end()) return e;
  }
  return kNone;
}

bool Controller::on_packet(std::uint32_t from, const ActivationPacket& packet, std::string_view message) noexcept {
  switch (static_cast<PacketKind>(packet.kind)) {
    case PacketKind::kRetire: learn_oldest(packet.instance); return true;
    case PacketKind::kEnd: ended_ = true; return true;
    case PacketKind::kActivate:
    case PacketKind::kPoison: break;
    default:
      fail_run(
          {Code::kDataLoss, "unexpected packet from '" + plan_.controllers[from].name + "': " + to_string(packet)});
      return true;
  }
  const std::uint32_t edge = find_edge(from, packet);
  if (edge == kNone) {
    fail_run({Code::kDataLoss,
              "packet from '" + plan_.controllers[from].name + "' fits no edge of the plan: " + to_string(packet)});
    return true;
  }
  if (setup_.trace) {
    const std::uint64_t now = now_ns();
    add_trace({TraceEvent::Kind::kReceive, 0, now, now, packet.stage, edge, packet.instance, packet.tag});
  }
  // Its admission implies that what is a window older has retired; a packet from a stage of this controller says no news.
  if (packet.instance >= oldest_ + plan_.window) learn_oldest(packet.instance + 1 - plan_.window);
  if (static_cast<PacketKind>(packet.kind) == PacketKind::kPoison) return on_poison(packet, message);
  if ((packet.flags & (kInline | kAbsent)) != 0) {
    fail_run({Code::kDataLoss, "a token without a block is not supported by this version: " + to_string(packet)});
    return true;
  }
  const RegionLayout& region = layout_.regions[packet.region];
  const std::uint64_t begin = std::uint64_t{packet.offset} * kOffsetUnitBytes;
  if (begin % region.block_bytes != 0 || begin >= region.bytes() || packet.payload_bytes > region.block_bytes) {
    fail_run(
        {Code::kDataLoss, "packet from '" + plan_.controllers[from].name + "' names no block: " + to_string(packet)});
    return true;
  }
  return on_token(edge, packet);
}

// False: its place is still taken by a firing of an instance that has retired; the packet must come again.
bool Controller::on_token(std::uint32_t edge, const ActivationPacket& packet) noexcept {
  const Token token{packet, edge};
  StageInstance* entry = packet.instance < oldest_ ? nullptr : instance_at(packet.stage, packet.instance);
  if (packet.instance >= oldest_ && entry == nullptr) return false;
  if (entry == nullptr || entry->dead) {
    ++stats_.dropped;
    release(token);
    return true;
  }
  std::uint32_t match = kNone;
  if (stage(packet.stage).inputs[packet.port].hold) {
    if (!matches_.hold(token)) {
      release(token);
      kill_stage(packet.stage, packet.instance, Code::kInvalid, packet.stage,
                 "a second token came for the same held input and tag");
      return true;
    }
    matches_.for_each([&](std::uint32_t m) {
      const Match& waiting = matches_[m];
      if (waiting.ready || waiting.stage != packet.stage || waiting.instance != packet.instance) return;
      if (matches_.complete(m)) make_ready(m);
    });
    return true;
  }
  switch (matches_.add(token, match)) {
    case MatchTable::Added::kReady: make_ready(match); break;
    case MatchTable::Added::kWaiting: break;
    case MatchTable::Added::kDuplicate:
      release(token);
      kill_stage(packet.stage, packet.instance, Code::kInvalid, packet.stage,
                 "two tokens came for input '" + stage(packet.stage).inputs[packet.port].name + "' with the same tag");
      break;
  }
  return true;
}

// False: as on_token.
bool Controller::on_poison(const ActivationPacket& packet, std::string_view message) noexcept {
  if (packet.instance < oldest_) return true;
  if (instance_at(packet.stage, packet.instance) == nullptr) return false;
  kill_stage(packet.stage, packet.instance, static_cast<Code>(packet.status), packet.origin, message);
  return true;
}

// The consumer is done with a token: its block goes back to whoever allocated it.
void Controller::release(const Token& token) noexcept {
  if (token.header.region == kPassedOn) return;
  return_block(
      {token.edge, token.header.offset, token.header.region, static_cast<std::uint16_t>(token.header.instance)});
}

void Controller::return_block(const BlockReturn& block) noexcept {
  const EdgeLayout& edge = layout_.edges[block.edge];
  if (!edge.crosses()) return take_back(block);
  setup_.wiring.receivers[edge.from]->give_back(block);
  returned_[edge.from] = true;
}

// A consumer of one of this controller's edges is done with a block.
void Controller::take_back(const BlockReturn& block) noexcept {
  retry_ready_ = true;
  if (Status status = outputs_->give_back(block); !status.ok()) return fail_run(std::move(status));
  const EdgePlan& plan = plan_.edges[block.edge];
  if (stage(plan.from_stage).role != StageRole::kRelay) return;
  // A relay passed this block on for somebody else: hand it back there.
  for (const std::uint32_t e : layout_.in_edges[plan.from_stage][plan.from_port]) {
    if (layout_.edges[e].regions.front() == block.region)
      return return_block({e, block.offset, block.region, block.instance});
  }
}

std::size_t Controller::poll_returns() noexcept {
  std::array<BlockReturn, 32> blocks;
  std::size_t done = 0;
  for (const auto& sender : setup_.wiring.senders) {
    if (sender == nullptr) continue;
    for (std::size_t count = blocks.size(); count == blocks.size() && fatal_.ok();) {
      count = sender->poll_returns(blocks);
      for (std::size_t k = 0; k < count && fatal_.ok(); ++k) take_back(blocks[k]);
      done += count;
    }
  }
  return done;
}

}  // namespace woa
