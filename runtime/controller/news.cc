#include "runtime/controller/news.h"

#include <algorithm>

namespace woa {

// By controller. A stage that matches tokens keeps those of an instance that has failed, and held ones in any case.
// Others need to know only if they wait for room, of which the oldest instance has a share of its own.
std::vector<bool> News::awaiting_retirement(const Plan& plan) {
  std::vector<bool> awaiting(plan.controllers.size(), false);
  for (const StagePlan& stage : plan.stages) {
    const bool matches =
        stage.inputs.size() > 1 || stage.stateful == Stateful::kInstance ||
        std::ranges::any_of(stage.inputs, [](const InputPortPlan& port) { return port.hold || port.gather; });
    if (matches) awaiting[stage.controller] = true;
  }
  return awaiting;
}

// A controller that neither awaits retirement nor waits for room learns the same from its next packet.
bool News::needs(std::uint32_t controller, std::uint64_t oldest) const noexcept {
  if (told_oldest_[controller] >= oldest) return false;
  return awaits_retirement_[controller] || wiring_.senders[layout_.control_of[controller]]->room_wanted();
}

bool News::waits(std::uint64_t oldest) const noexcept {
  for (std::uint32_t c = 1; c < told_oldest_.size(); ++c)
    if (needs(c, oldest)) return true;
  return false;
}

std::size_t News::tell_oldest(std::uint64_t oldest) noexcept {
  std::size_t done = 0;
  for (std::uint32_t c = 1; c < told_oldest_.size(); ++c) {
    if (!needs(c, oldest) || !tell(c, PacketKind::kRetire, oldest)) continue;
    told_oldest_[c] = oldest;
    ++done;
  }
  return done;
}

bool News::tell_end() noexcept {
  bool all = true;
  for (std::uint32_t c = 1; c < told_end_.size(); ++c) {
    if (!told_end_[c]) told_end_[c] = tell(c, PacketKind::kEnd, 0);
    all = all && told_end_[c];
  }
  return all;
}

// False: the controller must read the previous news first.
bool News::tell(std::uint32_t controller, PacketKind kind, std::uint64_t instance) noexcept {
  const std::uint32_t channel = layout_.control_of[controller];
  Sender& sender = *wiring_.senders[channel];
  if (sender.reserve() != Push::kOk) return false;
  if (kind != PacketKind::kEnd) {  // both places are free only once the previous news were read
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
  if (kind == PacketKind::kEnd || awaits_retirement_[controller])
    bells_.ring_later(channel);
  else
    bells_.ring_for_room_later(channel);
  return true;
}

}  // namespace woa
