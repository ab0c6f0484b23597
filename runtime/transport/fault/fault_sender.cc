#include "runtime/transport/fault/fault_sender.h"

#include <string>

namespace woa {
namespace {

constexpr std::uint32_t kSenderKeepAlivePolls = 4;  // an idle controller asks for returns seldom
static_assert(kSenderKeepAlivePolls <= kPollsUntilLossShows);

}  // namespace

template <class End>
void FaultSender<End>::ReturnItem::flip(std::uint64_t bit) noexcept {
  (bit % kBits < 64 ? words.block : words.mark) ^= std::uint64_t{1} << (bit % 64);
}

template <class End>
FaultSender<End>::FaultSender(Setup setup)
    : inner_(std::move(setup.inner)),
      kill_(std::move(setup.kill)),
      ring_(std::move(setup.ring)),
      view_(setup.spec, ring_->bytes()),
      checked_(setup.spec, ring_, Doorbell()),
      path_(std::move(setup.returns), setup.landing,
            [this](std::uint64_t position, const ReturnItem& item) {
              view_.returns[position & (view_.returns.size() - 1)].publish(item.words);
            }),
      reservations_(std::move(setup.reservations)) {}

template <class End>
FaultSender<End>::~FaultSender() {
  kill_.reached(ProtocolStep::kProducerCloses);
  inner_.reset();
  kill_.reached(ProtocolStep::kProducerClosed);
}

template <class End>
Push FaultSender<End>::reserve() noexcept {
  if (lost_ || checked_.closed()) return Push::kClosed;
  const Push push = inner_->reserve();
  if (push == Push::kClosed) return push;
  if (refusals_ == 0) {
    if (const auto full = reservations_.next(1)) refusals_ = full->amount;
  }
  if (refusals_ > 0) {
    --refusals_;
    if (push == Push::kOk) inner_->cancel();
    return Push::kBackPressured;
  }
  if (push == Push::kOk) kill_.reached(ProtocolStep::kReserved);
  return push;
}

template <class End>
void FaultSender<End>::commit(const ActivationPacket& header, std::span<const std::byte> inline_payload) noexcept {
  kill_.at_commit(header, inline_payload, ++committed_);
  inner_->commit(header, inline_payload);
  kill_.reached(ProtocolStep::kPublished);
}

template <class End>
Status FaultSender<End>::commit_sealed(const ActivationPacket& header,
                                       std::span<const std::byte> inline_payload) noexcept {
  kill_.at_commit(header, inline_payload, committed_ + 1);
  Status status = inner_->commit_sealed(header, inline_payload);
  if (status.ok()) ++committed_;
  kill_.reached(ProtocolStep::kPublished);
  return status;
}

template <class End>
std::size_t FaultSender<End>::poll_returns(std::span<BlockReturn> out) noexcept {
  path_.tick();
  carry();
  const std::size_t count = checked_.poll_returns(out);
  received_ += count;
  if (!out.empty()) hear_keep_alive(count);
  for (std::size_t k = 0; k < count; ++k) kill_.reached(ProtocolStep::kReturnTaken);
  return count;
}

// From the channel onto the wire, as far as this end's ring has room.
template <class End>
void FaultSender<End>::carry() noexcept {
  BlockReturn block;
  while (path_.takes() && sent_ - received_ < view_.returns.size() && inner_->poll_returns({&block, 1}) == 1)
    path_.put({ReturnWords(block, static_cast<std::uint32_t>(++sent_))});
}

template <class End>
void FaultSender<End>::hear_keep_alive(std::size_t arrived) noexcept {
  const bool missing = arrived == 0 && received_ < sent_ && !path_.carries();
  missing_polls_ = missing ? missing_polls_ + 1 : 0;
  lost_ = lost_ || missing_polls_ == kSenderKeepAlivePolls;
}

template <class End>
Status FaultSender<End>::status() const {
  WOA_RETURN_IF_ERROR(inner_->status());
  WOA_RETURN_IF_ERROR(checked_.status());
  if (!lost_) return {};
  return {Code::kDataLoss, "channel: returned blocks were lost: " + std::to_string(received_) +
                               " came, the reader's keep-alive says " + std::to_string(sent_)};
}

template <class End>
void FaultSender<End>::wake() noexcept {
  inner_->wake();
  kill_.reached(ProtocolStep::kConsumerWoken);
}

template class FaultSender<Sender>;
template class FaultSender<PreparingSender>;

Publication FaultPreparingSender::prepare(const ActivationPacket& header,
                                          std::span<const std::byte> inline_payload) noexcept {
  kill_.at_commit(header, inline_payload, ++committed_);
  const Publication prepared = inner_->prepare(header, inline_payload);
  kill_.reached(ProtocolStep::kPrepared);
  return prepared;
}

void FaultPreparingSender::publish(const Publication& prepared) noexcept {
  inner_->publish(prepared);
  kill_.reached(ProtocolStep::kPublished);
}

bool FaultPreparingSender::rewrite(const Publication& prepared, const ActivationPacket& header,
                                   std::span<const std::byte> inline_payload) noexcept {
  return inner_->rewrite(prepared, header, inline_payload);
}

}  // namespace woa
