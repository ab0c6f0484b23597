#include "runtime/transport/fault/kill_switch.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace woa {

KillSwitch::KillSwitch(const FaultPlan& plan, const ChannelSpec& spec, std::unique_ptr<Mapping> shared)
    : plan_(plan), shared_(std::move(shared)) {
  if (shared_ != nullptr) channel_.emplace(spec, shared_->bytes());
}

bool KillSwitch::due(ProtocolStep step) noexcept { return step == plan_->step && ++seen_ == plan_->first; }

void KillSwitch::die() noexcept {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

void KillSwitch::act_commit(const ActivationPacket& header, std::span<const std::byte> inline_payload,
                            std::uint32_t sequence) noexcept {
  reached(ProtocolStep::kCommitBegun);
  const ProtocolStep step = plan_->step;
  if (step < ProtocolStep::kInlineWritten || step > ProtocolStep::kHeaderWritten || !due(step)) return;
  if (!channel_) die();
  const std::uint32_t slot = (sequence - 1) & static_cast<std::uint32_t>(channel_->slots.size() - 1);
  const std::span<std::byte> area = channel_->slots.inline_area(slot);
  std::copy_n(inline_payload.begin(), std::min(inline_payload.size(), area.size()), area.begin());
  const HeaderWords words = words_of(header);
  const std::size_t written = step == ProtocolStep::kInlineWritten       ? 0
                              : step == ProtocolStep::kHeaderHalfWritten ? kPublishWord
                                                                         : words.size();
  for (std::size_t k = 0; k < written; ++k)
    if (k != kPublishWord) channel_->slots[slot].words[k].store(words[k], std::memory_order_relaxed);
  die();
}

void KillSwitch::act_return(const BlockReturn& block, std::uint32_t turn) noexcept {
  reached(ProtocolStep::kReturnBegun);
  if (plan_->step != ProtocolStep::kReturnHalfWritten || !due(plan_->step)) return;
  if (!channel_) die();
  const std::size_t slot = (turn - 1) & (channel_->returns.size() - 1);
  channel_->returns[slot].block.store(ReturnWords(block, turn).block, std::memory_order_relaxed);
  die();
}

}  // namespace woa
