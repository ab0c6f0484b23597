#include "controllers/fpga/wact_packets.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "controllers/fpga/generated/wact_interface.h"

namespace woa {
namespace {

using namespace wact;  // NOLINT: the words' names

bool is_poison(const ActivationPacket& packet) noexcept {
  return packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison);
}

// The packet that asks the node to forward a controller's poison, addressed to this stage. It never leaves the machine.
ActivationPacket poison_request(const Firing& firing) noexcept {
  ActivationPacket packet = firing.poison_header;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  packet.payload_bytes = std::min<std::uint64_t>(packet.payload_bytes, firing.message.size());
  packet.flags = packet.payload_bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
  packet.stage = firing.stage;
  packet.port = 0;
  packet.device = 0;
  packet.ordinal = 0;
  packet.region = 0;
  packet.offset = 0;
  seal(packet);
  return packet;
}

// The packet of a firing's second input. It never leaves the machine either.
ActivationPacket second_packet(const ActivationPacket& first, std::size_t bytes) noexcept {
  ActivationPacket packet = first;
  packet.flags = 0;
  packet.port = 1;
  packet.device = bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(MemoryKind::kCpu);
  packet.ordinal = 0;
  packet.region = 0;
  packet.offset = 0;
  packet.payload_bytes = bytes;
  seal(packet);
  return packet;
}

std::uint64_t field(std::uint64_t beat, CompletionLsb lsb, unsigned bits) noexcept {
  return beat >> lsb & ((std::uint64_t{1} << bits) - 1);
}
std::uint64_t rejection_of(std::uint64_t beat) noexcept { return field(beat, kCompletionRejection, 8); }
std::uint64_t fault_of(std::uint64_t beat) noexcept { return field(beat, kCompletionFault, 8); }

std::string rejection_text(std::uint64_t reason) {
  switch (reason) {
    case kRejectLength: return "length";
    case kRejectUse: return "use";
    case kRejectStage: return "stage";
    case kRejectLanding: return "landing";
    case kRejectPlaces: return "places";
    case kRejectTwice: return "twice";
    case kRejectHeld: return "held";
    default: return std::string(to_string(static_cast<Rejection>(reason)));
  }
}

}  // namespace

WactFiring::WactFiring(const WactTables& tables) : tables_(tables) {
  order_.reserve(tables.most_routes());
  landings_.reserve(tables.most_routes());
  completions_.reserve(tables.most_stages());
}

bool WactFiring::begin(Firing& firing) noexcept {
  firing_ = &firing;
  routes_ = tables_.find(firing.stage);
  packets_ = 0;
  completions_.clear();
  answered_ = refused_ = 0;
  ended_ = false;
  damage_ = {};
  const bool whole = routes_ != nullptr && (firing.poison || (firing.inputs.size() == routes_->in.size() &&
                                                              firing.packet != nullptr && firing.outputs.size() == 1));
  if (!whole || !order_routes()) {
    lose(Code::kInternal, "the firing does not fit a stage that was loaded into this packet node");
    return false;
  }
  make_requests();
  return true;
}

void WactFiring::make_requests() noexcept {
  const Firing& firing = *firing_;
  requests_count_ = firing.poison ? 1 : firing.inputs.size();
  if (firing.poison) {
    requests_[0].header = poison_request(firing);
    requests_[0].payload = std::as_bytes(std::span(firing.message).first(requests_[0].header.payload_bytes));
    block_ = {};
    return;
  }
  block_ = routes_->out.block(firing.outputs[0]);
  requests_[0] = {*firing.packet, routes_->in[0].payload(firing.inputs[0])};
  if (requests_count_ == 1) return;
  const auto payload = routes_->in[1].payload(firing.inputs[1]);
  requests_[1] = {second_packet(*firing.packet, payload.size()), payload};
  if (firing.inputs[1].bytes < firing.inputs[0].bytes) std::swap(requests_[0], requests_[1]);
}

// False: the firing does not have this stage's routes, or other stages behind it.
bool WactFiring::order_routes() noexcept {
  order_.clear();
  landings_.clear();
  const auto behind = std::span(routes_->chain).subspan(1);
  if (!std::ranges::equal(firing_->joined, behind, {}, &Firing::stage)) return false;
  if (firing_->routes.empty() || firing_->routes.size() != routes_->edges.size()) return false;
  for (const std::uint32_t edge : routes_->edges) {
    const auto route = std::ranges::find(firing_->routes, edge, &FiringRoute::edge);
    if (route == firing_->routes.end()) return false;
    order_.push_back(&*route);
    landings_.push_back(static_cast<std::uint64_t>(MemoryKind::kCpu) << kLandingDevice |
                        static_cast<std::uint64_t>(route->region) << kLandingRegion |
                        static_cast<std::uint64_t>(route->offset) << kLandingOffset);
  }
  return true;
}

void WactFiring::damage(std::string_view what) noexcept {
  if (damage_.empty()) damage_ = what;
}

void WactFiring::packet(const ActivationPacket& header, std::uint64_t written,
                        std::span<const std::byte> message) noexcept {
  if (packets_ == order_.size()) return damage("more packets came than the stage has routes");
  if (const std::string_view wrong = check_header(header); !wrong.empty()) return damage(wrong);
  const std::uint64_t came = is_poison(header) ? message.size() : written;
  const std::uint64_t room = is_poison(header) ? message_.size() : block_.size();
  if (came != (packets_ == 0 ? header.payload_bytes : 0) || came > room)
    return damage("a payload is larger or smaller than its header says");
  if (is_poison(header)) std::memcpy(message_.data(), message.data(), message.size());
  order_[packets_++]->header = header;
}

// Why the node would not have sent this header now; empty: it may have.
std::string_view WactFiring::check_header(const ActivationPacket& header) const noexcept {
  if (check(header) != Rejection::kNone) return "a header breaks a rule of docs/packet.md";
  const auto route = tables_.route_words().subspan((routes_->first + packets_) * kEntryWords, kEntryWords);
  if (header.stage != route[kRouteStage] || header.port != route[kRoutePort] ||
      header.instance != requests_[0].header.instance)
    return "a header is of another firing or route";
  const bool activates = header.kind == static_cast<std::uint8_t>(PacketKind::kActivate);
  if (firing_->poison ? !is_poison(header) || header.status != requests_[0].header.status ||
                            header.origin != requests_[0].header.origin
                      : !is_poison(header) && !activates)
    return "a header has another kind, status or origin than the firing can have";
  if (packets_ != 0) {
    const ActivationPacket& first = order_[0]->header;
    if (header.kind != first.kind || header.status != first.status || header.origin != first.origin ||
        header.payload_bytes != first.payload_bytes)
      return "headers of one firing disagree";
  }
  return {};
}

void WactFiring::completion(std::uint64_t beat, bool last) noexcept {
  const bool holds = last && answered_ + 1 < requests_count_ && rejection_of(beat) == kRejectHeld;
  if (ended_ || (!holds && completions_.size() == routes_->chain.size())) {
    damage("more completions came than the chain has stages");
  } else if (!holds) {
    if (completions_.empty()) refused_ = answered_;  // if it is a refusal
    completions_.push_back(beat);
  }
  answered_ += last ? 1 : 0;
  ended_ = answered_ >= requests_count_;
}

// Compares the completions with the packets.
void WactFiring::check_answer() noexcept {
  if (!ended_ || completions_.size() != routes_->chain.size()) return damage("completions are missing");
  if (packets_ != order_.size()) return damage("fewer packets came than the stage has routes");
  const ActivationPacket& first = order_[0]->header;
  for (std::size_t link = 0; link < completions_.size(); ++link) {
    const bool failed = !firing_->poison && is_poison(first) && first.origin == routes_->chain[link];
    if (field(completions_[link], kCompletionEntry, 16) != routes_->entries[link] ||
        (fault_of(completions_[link]) != 0) != failed)
      return damage("a completion is of another stage, or disagrees with the packets");
  }
  if (!is_poison(first)) {
    if (first.payload_bytes < routes_->out.prefix_bytes()) damage("a payload is shorter than its dimensions");
  } else if (!firing_->poison && std::ranges::find(routes_->chain, first.origin) == routes_->chain.end()) {
    damage("poison names a stage that did not run");
  }
}

void WactFiring::finish() noexcept {
  const auto rejected = std::ranges::find_if(completions_, [](std::uint64_t beat) { return rejection_of(beat) != 0; });
  if (rejected != completions_.end())
    return lose(Code::kDataLoss, "the packet node refused " + to_string(requests_[refused_].header) + ": " +
                                     rejection_text(rejection_of(*rejected)));
  check_answer();
  if (!damage_.empty())
    return lose(Code::kDataLoss, "the packet node's answer to " + to_string(requests_[0].header) +
                                     " is damaged: " + std::string(damage_));
  for (std::size_t link = 0; link < completions_.size(); ++link)
    at(link).cycles = field(completions_[link], kCompletionCycles, 32);
  if (firing_->poison) return;
  const ActivationPacket& first = order_[0]->header;
  for (const WactRequest& request : requests())
    firing_->input_memory[request.header.port].copied_bytes = request.payload.size();
  if (is_poison(first)) {
    const auto link = std::ranges::find(routes_->chain, first.origin) - routes_->chain.begin();
    Firing& failed = at(static_cast<std::size_t>(link));
    failed.code = static_cast<Code>(first.status);
    failed.message.assign(message_.data(), first.payload_bytes);
    return;
  }
  firing_->output_memory[0].copied_bytes = first.payload_bytes;
  firing_->outputs[0].bytes = first.payload_bytes - routes_->out.prefix_bytes();
  firing_->outputs[0].written = 1;
}

// Nobody can tell what the node sent, nor which sequence numbers it used up.
void WactFiring::lose(Code code, std::string_view message) noexcept {
  firing_->lost = true;
  firing_->code = code;
  firing_->message.assign(message);
}

}  // namespace woa
