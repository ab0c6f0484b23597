#include "runtime/controller/news.h"

#include <algorithm>

namespace woa {

// By controller. Stages of several inputs keep tokens of an instance that has failed; held inputs keep them in any
// case. Others learn with their next packet what has retired.
std::vector<bool> News::awaiting_retirement(const Plan& plan) {
  std::vector<bool> awaiting(plan.controllers.size(), false);
  for (const StagePlan& stage : plan.stages) {
    const bool keeps = stage.inputs.size() > 1 || std::ranges::any_of(stage.inputs, &InputPortPlan::hold);
    if (keeps) awaiting[stage.controller] = true;
  }
  return awaiting;
}

bool News::waits(std::uint64_t oldest) const noexcept {
  return std::any_of(told_oldest_.begin() + 1, told_oldest_.end(),
                     [oldest](std::uint64_t told) { return told < oldest; });
}

std::size_t News::tell_oldest(std::uint64_t oldest) noexcept {
  std::size_t done = 0;
  for (std::uint32_t c = 1; c < told_oldest_.size(); ++c) {
    if (told_oldest_[c] >= oldest || !tell(c, PacketKind::kRetire, oldest)) continue;
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
  if (kind == PacketKind::kEnd || awaits_retirement_[controller]) bells_.ring_later(channel);
  return true;
}

}  // namespace woa
