#include "runtime/messaging/onesided/origin.h"

#include <algorithm>
#include <string>

namespace woa::onesided {

Result<Origin> Origin::open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                            const Destination& destination) {
  auto checked = check_link(transport, spec, link);
  if (!checked.ok()) return checked.status();
  auto landing = Landing::open(transport, spec.result_slots, link.returns, destination.end);
  if (!landing.ok()) return landing.status();
  auto sender = transport.open_sender(checked->channel, link.channel, destination.end, checked->regions);
  if (!sender.ok()) return sender.status();
  return Origin(std::move(*sender), std::move(*landing), checked->blocks, destination.region_bytes);
}

Origin::Origin(std::unique_ptr<Sender> sender, std::unique_ptr<Landing> landing, const BlockLayout& buckets,
               std::uint64_t region_bytes) noexcept
    : sender_(std::move(sender)), landing_(std::move(landing)), buckets_(buckets), region_bytes_(region_bytes) {}

Outcome Origin::refuse(const Update& update, Refusal refusal) noexcept {
  if (refusal_ == Refusal::kNone) refusal_ = refusal, refused_ = update;
  return Outcome::kRefused;
}

Outcome Origin::break_link() noexcept {
  broken_ = true;
  return Outcome::kClosed;
}

void Origin::poll() noexcept {
  sender_->poll_returns({});
  (void)landing_->applied();
}

std::uint64_t Origin::completed(std::uint64_t issued) const noexcept { return std::min(landing_->applied(), issued); }

Status Origin::status(std::uint64_t issued) const {
  if (refusal_ != Refusal::kNone)
    return {Code::kInvalid, "update refused: " + describe(refused_, refusal_, region_bytes_)};
  if (landing_->applied() > issued)
    return {Code::kDataLoss, "the owner says that it applied " + std::to_string(landing_->applied()) +
                                 " updates, and only " + std::to_string(issued) + " were issued; rerun"};
  if (broken_) return {Code::kDataLoss, "the owner gave back a bucket that it did not have; rerun"};
  WOA_RETURN_IF_ERROR(landing_->status());
  WOA_RETURN_IF_ERROR(sender_->status());
  if (is_closed(*sender_))
    return {Code::kPeerLost, "the owner closed after " + std::to_string(completed(issued)) + " of " +
                                 std::to_string(issued) + " updates; read its log"};
  return {};
}

}  // namespace woa::onesided
