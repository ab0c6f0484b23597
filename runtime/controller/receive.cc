// Packets in: kind, edge, block and number of tokens are checked against this controller's own tables.
#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/controller/active_firing.h"
#include "runtime/controller/controller.h"

namespace woa {
namespace {

// The host may be ahead of what this controller has heard, but not by this.
constexpr std::uint64_t kMaxInstanceJump = std::uint64_t{1} << 32;

}  // namespace

void Controller::deliver(std::uint32_t edge, const ActivationPacket& packet,
                         std::span<const std::byte> inline_payload) noexcept {
  if (packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison) && packet.instance < oldest_) {
    ++stats_.dropped;
    return;
  }
  if (local_count_ == local_.size()) drop_retired_poison();
  if (local_count_ == local_.size())
    return fail_run({Code::kInternal, "there are more packets inside '" + plan_.controllers[self_].name +
                                          "' than blocks and instances in flight: " + to_string(packet)});
  LocalPacket& place = local_[(local_head_ + local_count_) % local_.size()];
  ++local_count_;
  place.edge = edge;
  place.packet = packet;
  std::copy_n(inline_payload.begin(), std::min(inline_payload.size(), place.message.size()), place.message.begin());
}

std::size_t Controller::drain_local() noexcept {
  std::size_t done = 0;
  for (; local_count_ > 0; ++done) {
    const LocalPacket place = local_[local_head_];  // a copy: reading it may deliver more
    const std::size_t bytes = (place.packet.flags & kInline) != 0 ? place.packet.payload_bytes : 0;
    const auto inline_payload = std::span(place.message).first(std::min(bytes, place.message.size()));
    if (!(place.is_poison() ? on_poison(place.packet, inline_payload)
                            : on_token(place.edge, place.packet, inline_payload)))
      return done;
    local_head_ = (local_head_ + 1) % local_.size();
    --local_count_;
  }
  return done;
}

bool Controller::on_packet(std::uint32_t channel, const ActivationPacket& packet,
                           std::span<const std::byte> inline_payload) noexcept {
  // A packet that cannot be true ends the run: nothing that follows it could be believed.
  const auto refuse = [&](std::string_view why) {
    fail_run({Code::kDataLoss, "packet from '" + plan_.controllers[layout_.channels[channel].from].name + "' " +
                                   std::string(why) + ": " + to_string(packet)});
    return true;
  };
  if (packet.instance > oldest_ && packet.instance - oldest_ > kMaxInstanceJump) return refuse("is of a far instance");
  if (!fatal_.ok()) return false;
  const auto kind = static_cast<PacketKind>(packet.kind);
  if (kind == PacketKind::kRetire || kind == PacketKind::kEnd) {
    if (!layout_.channels[channel].control) return refuse("says what only the host's control channel may say");
    if (kind == PacketKind::kRetire) learn_oldest(packet.instance);
    ended_ = ended_ || kind == PacketKind::kEnd;
    return true;
  }
  if (kind != PacketKind::kActivate && kind != PacketKind::kPoison && kind != PacketKind::kCount)
    return refuse("is of an unexpected kind");
  const InputEdge* edge = table_.edge_of(channel, packet);
  if (edge == nullptr) return refuse("fits no edge of the plan");
  const InputPortPlan& port = stage(packet.stage).inputs[packet.port];
  if (kind == PacketKind::kCount && packet.payload_bytes > port.gather)
    return refuse("counts more elements than may be");
  const std::span<const std::byte> payload = without_crc(packet, inline_payload);
  if (kind == PacketKind::kActivate) {
    if ((packet.flags & kAbsent) != 0 && !port.optional && port.gather == 0)
      return refuse("is absent, but its input is not optional");
    if (payload.size() > edge->inline_bytes) return refuse("carries more behind its header than its edge may");
    if (!table_.region(packet.region).holds(packet)) return refuse("names no block");
  }
  if (Status status = check_payload(channel, edge->edge, packet, inline_payload); !status.ok()) {
    fail_run(std::move(status));
    return true;
  }
  if (setup_.trace_limit > 0) {
    const std::uint64_t now = now_ns();
    add_trace({TraceEvent::Kind::kReceive, 0, now, now, packet.stage, edge->edge, packet.instance, packet.tag,
               packet.payload_bytes});
  }
  // Its admission implies that what is a window older has retired. A packet inside this controller says no news.
  if (packet.instance >= oldest_ + plan_.window) learn_oldest(packet.instance + 1 - plan_.window);
  const ActivationPacket plain = without_crc(packet);
  return kind == PacketKind::kPoison ? on_poison(plain, payload) : on_token(edge->edge, plain, payload);
}

// False: its place is still taken by a firing of an instance that has retired; the packet must come again.
bool Controller::on_token(std::uint32_t edge, const ActivationPacket& packet,
                          std::span<const std::byte> inline_payload) noexcept {
  Token token;
  token.header = packet;
  token.edge = edge;
  token.inline_payload = inline_payload;
  const InputPortPlan& port = stage(packet.stage).inputs[packet.port];
  StageInstance* entry = packet.instance < oldest_ ? nullptr : instance_at(packet.stage, packet.instance);
  if (packet.instance >= oldest_ && entry == nullptr) return false;
  if (entry == nullptr || entry->dead) {
    drop(token);
    return true;
  }
  const auto second = [&] {
    release(token);
    kill_stage(packet.stage, packet.instance, Code::kInvalid, packet.stage,
               "two tokens came for input '" + port.name + "' with the same tag");
    return true;
  };
  const auto too_many = [&] {
    fail_run({Code::kDataLoss, "more tokens than blocks came for input '" + port.name + "' of stage '" +
                                   stage(packet.stage).name + "'"});
    return true;
  };
  if (!port.hold && is_second(*entry, packet)) return second();
  // Nothing to wait for, and nobody waits. What another channel brings in this cycle may be older: it starts next.
  if (table_[packet.stage].single && ready_.empty() && fatal_.ok()) {
    const MatchKey match{packet.stage, packet.instance, packet.tag, packet.deadline};
    const Start outcome = try_start(match, *entry, {&token, 1}, kNone);
    if (outcome == Start::kGone) drop(token);
    if (outcome == Start::kGone || outcome == Start::kStarted) return true;
  }
  std::uint32_t match = kNone;
  switch (port.hold ? matches_.hold(token) : matches_.add(token, match)) {
    case MatchTable::Added::kReady: make_ready(match); break;
    case MatchTable::Added::kWaiting: break;
    case MatchTable::Added::kHeld: ready_by_held(packet.stage, packet.instance); break;
    case MatchTable::Added::kDuplicate: return second();
    case MatchTable::Added::kFull: return too_many();
  }
  return true;
}

// Has a firing taken a token of that tag? What was consumed is forgotten, but for the firings that run and the last:
// enough outside loops, where an instance fires once.
bool Controller::is_second(const StageInstance& entry, const ActivationPacket& packet) const noexcept {
  if (!entry.fired) return false;
  const std::uint64_t tag = matches_.matched_tag(packet);
  if (entry.last_tag == tag) return true;
  return entry.running > 0 && std::any_of(firings_.begin(), firings_.end(), [&](const auto& firing) {
           return firing->running && firing->stage == packet.stage && firing->instance == packet.instance &&
                  firing->tag == tag;
         });
}

// A held token may be the last that some matches of its instance waited for.
void Controller::ready_by_held(std::uint32_t stage_id, std::uint64_t instance) noexcept {
  matches_.for_each([&](std::uint32_t m) {
    const Match& waiting = matches_[m];
    if (waiting.ready || waiting.stage != stage_id || waiting.instance != instance) return;
    if (matches_.complete(m)) make_ready(m);
  });
}

std::span<const std::byte> Controller::payload_of(const Token& token) const noexcept {
  if (token.is_inline()) return token.inline_payload;
  return table_.region(token.header.region).payload(token.header);
}

// A token that nobody will read.
void Controller::drop(const Token& token) noexcept {
  ++stats_.dropped;
  release(token);
}

// The consumer is done with a token: its block goes back to whoever allocated it; a count, which has none, gives back
// its credit.
void Controller::release(const Token& token) noexcept {
  if (token.is_count())
    return return_block({token.edge, 0, kPassedOn, static_cast<std::uint16_t>(token.header.instance)});
  if (token.header.region == kPassedOn) return;
  return_block(
      {token.edge, token.header.offset, token.header.region, static_cast<std::uint16_t>(token.header.instance)});
}

void Controller::return_block(const BlockReturn& block) noexcept {
  const EdgeLayout& edge = layout_.edges[block.edge];
  if (!edge.crosses()) return take_back(self_, block);
  setup_.wiring.receivers[edge.channel]->give_back(block);
  outputs_->wake_later(edge.channel);
}

// Controller `from`, a consumer of one of this one's edges, is done with a block.
void Controller::take_back(std::uint32_t from, const BlockReturn& block) noexcept {
  retry_ready_ = true;
  const Result<bool> goes_back = outputs_->give_back(block);
  if (!goes_back.ok())
    return fail_run(goes_back.status().with_context("controller '" + plan_.controllers[from].name + "'"));
  if (!*goes_back) return;
  const EdgePlan& plan = plan_.edges[block.edge];
  const std::int32_t input = layout_.passed_input[plan.from_stage][plan.from_port];
  for (const std::uint32_t e : layout_.in_edges[plan.from_stage][static_cast<std::size_t>(input)]) {
    const auto& regions = layout_.edges[e].regions;
    if (std::find(regions.begin(), regions.end(), block.region) != regions.end())
      return return_block({e, block.offset, block.region, block.instance});
  }
}

// A block comes back by the channel that its token went by.
bool Controller::carries(std::uint32_t channel, const BlockReturn& block) const noexcept {
  if (block.edge >= layout_.edges.size()) return false;
  const EdgeLayout& edge = layout_.edges[block.edge];
  return edge.crosses() && edge.channel == channel;
}

void Controller::take_returns(std::uint32_t channel, std::span<const BlockReturn> blocks) noexcept {
  const std::uint32_t from = layout_.channels[channel].to;
  for (const BlockReturn& block : blocks) {
    if (!fatal_.ok()) return;
    if (!carries(channel, block))
      return fail_run({Code::kDataLoss, "controller '" + plan_.controllers[from].name + "' gave back a block of edge " +
                                            std::to_string(block.edge) + " on a channel that does not carry it"});
    take_back(from, block);
  }
}

std::size_t Controller::poll_returns() noexcept {
  const std::span<BlockReturn> blocks = returned_;
  std::size_t done = 0;
  for (const std::uint32_t c : destinations_) {
    Sender* sender = setup_.wiring.senders[c].get();
    for (std::size_t count = blocks.size(); count == blocks.size() && fatal_.ok();) {
      count = sender->poll_returns(blocks);
      take_returns(c, blocks.first(count));
      done += count;
    }
  }
  return done;
}

}  // namespace woa
