// Poison: how the failure of an instance travels forward (rule 6). It kills the instance at each stage that it reaches,
// frees what the stage holds of it, and goes on along the stage's edges to the sink.
#include <algorithm>

#include "runtime/controller/active_firing.h"
#include "runtime/controller/controller.h"

namespace woa {

// False: as on_token.
bool Controller::on_poison(const ActivationPacket& packet, std::span<const std::byte> message) noexcept {
  if (packet.instance < oldest_) {
    ++stats_.dropped;
    return true;
  }
  if (instance_at(packet.stage, packet.instance) == nullptr) return false;
  kill_stage(packet.stage, packet.instance, static_cast<Code>(packet.status), packet.origin,
             {reinterpret_cast<const char*>(message.data()), message.size()});
  return true;
}

void Controller::kill_stage(std::uint32_t stage_id, std::uint64_t instance, Code code, std::uint32_t origin,
                            std::string_view message) noexcept {
  if (instance < oldest_) return;
  StageInstance* entry = instance_at(stage_id, instance);
  if (entry == nullptr) return;
  if (entry->dead) {  // the first failure is kept
    ++stats_.dropped;
    return;
  }
  message = message.substr(0, kPoisonMessageBytes);
  const std::string text(message);  // dropping tokens may free what `message` points into
  mark_dead(stage_id, *entry);
  if (stage(stage_id).role == StageRole::kSink) {
    if (setup_.observer != nullptr) setup_.observer->on_poisoned(instance, code, origin, text);
    return;
  }
  ActivationPacket header;
  header.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  header.flags = text.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
  header.status = static_cast<std::uint8_t>(code);
  header.origin = origin;
  header.instance = instance;
  header.stage = stage_id;
  header.payload_bytes = text.size();
  // Nobody waits for its counts alone: their readers are relays of what else it writes.
  if (device_forwards_ && stage(stage_id).role == StageRole::kKernel) {
    poisons_.push_back({stage_id, kNone, header, text});
    return;
  }
  for (const auto& port : layout_.out_edges[stage_id]) {
    for (const std::uint32_t e : port) {
      if (plan_.edges[e].choice.may_take(instance)) poisons_.push_back({stage_id, e, header, text});
    }
  }
  for (const auto& port : layout_.out_counts[stage_id]) {
    for (const std::uint32_t e : port) {
      if (plan_.edges[e].choice.may_take(instance)) poisons_.push_back({stage_id, e, header, text});
    }
  }
}

// Frees what the stage holds of the instance; running firings keep theirs until they complete.
void Controller::mark_dead(std::uint32_t stage_id, StageInstance& entry) noexcept {
  entry.dead = true;
  const std::uint64_t instance = entry.instance;
  matches_.for_each([&](std::uint32_t m) {
    const Match& match = matches_[m];
    if (match.stage == stage_id && match.instance == instance) drop_match(m);
  });
  if (entry.running == 0) drop_held(stage_id, instance);
  retry_ready_ = true;  // a `stateful: run` stage may wait for this instance
}

// Poison of a retired instance need not be sent: whatever it would free has been freed.
std::size_t Controller::send_poisons() noexcept {
  std::size_t done = 0;
  for (std::size_t k = 0; k < poisons_.size();) {
    Poison& poison = poisons_[k];
    const bool over = poison.header.instance < oldest_;
    if (!over && !send_poison(poison)) {
      ++k;
      continue;
    }
    poisons_.erase(poisons_.begin() + static_cast<std::ptrdiff_t>(k));
    ++done;
  }
  return done;
}

// False: try again later.
bool Controller::send_poison(Poison& poison) noexcept {
  if (poison.edge == kNone) return start_device_poison(poison);
  return outputs_->poison(poison.edge, poison.header, poison.message) != Push::kBackPressured;
}

// The device numbers what it sends, so every place must be there before it starts.
bool Controller::start_device_poison(Poison& poison) noexcept {
  if (free_firings_.empty()) return false;
  ActiveFiring& firing = *free_firings_.back();
  firing.stage = poison.stage;
  firing.instance = poison.header.instance;
  firing.poison = true;
  firing.lost = false;
  firing.poison_header = poison.header;
  firing.message = poison.message;
  firing.code = Code::kOk;
  firing.inputs.clear();
  firing.outputs.clear();
  firing.claims.clear();
  firing.routes.clear();
  bool ok = true;
  for (const auto& port : layout_.out_edges[poison.stage]) {
    for (const std::uint32_t e : port) {
      ok = ok && outputs_->reserve_poison(e) == Push::kOk;
      if (ok) firing.routes.push_back({e, 0, 0, {}});
    }
  }
  if (!ok || !backend_.start(firing)) {
    for (const FiringRoute& route : firing.routes) outputs_->cancel_poison(route.edge);
    return false;
  }
  free_firings_.pop_back();
  return true;
}

void Controller::commit_device_poison(ActiveFiring& firing) noexcept {
  for (const FiringRoute& route : firing.routes) {
    const std::size_t length = std::min<std::size_t>(firing.message.size(), route.header.payload_bytes);
    const std::string_view message(firing.message.data(), length);
    if (Status status = outputs_->commit_sealed(route.edge, route.header, message); !status.ok())
      return fail_run(std::move(status));
  }
}

// Without it there is at most one poison per edge and instance in flight, and a token per block.
void Controller::drop_retired_poison() noexcept {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < local_count_; ++k) {
    const LocalPacket& packet = local_[(local_head_ + k) % local_.size()];
    if (packet.is_poison() && packet.packet.instance < oldest_) {
      ++stats_.dropped;
    } else {
      local_[(local_head_ + kept++) % local_.size()] = packet;
    }
  }
  local_count_ = kept;
}

Push Outputs::poison(std::uint32_t edge, const ActivationPacket& header, std::string_view message) noexcept {
  const Push push = reserve_poison(edge);
  if (push != Push::kOk) return push;
  const EdgeBook& book = edges_[edge];
  ActivationPacket packet = header;
  packet.stage = book.stage;
  packet.port = book.port;
  send(book, packet, std::as_bytes(std::span(message)));
  return Push::kOk;
}

Push Outputs::reserve_poison(std::uint32_t edge) noexcept {
  Sender* sender = edges_[edge].sender;
  return sender != nullptr ? sender->reserve() : Push::kOk;
}

void Outputs::cancel_poison(std::uint32_t edge) noexcept {
  if (Sender* sender = edges_[edge].sender; sender != nullptr) sender->cancel();
}

}  // namespace woa
