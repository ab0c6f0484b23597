#include "runtime/messaging/onesided/naive_updater.h"

namespace woa::onesided {

Result<std::unique_ptr<NaiveUpdater>> NaiveUpdater::open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                         const Destination& destination) {
  auto origin = Origin::open(transport, spec, link, destination);
  if (!origin.ok()) return origin.status();
  return std::unique_ptr<NaiveUpdater>(new NaiveUpdater(std::move(*origin)));
}

Outcome NaiveUpdater::update(const Update& update) noexcept {
  if (const Refusal refusal = check(update, origin_.region_bytes()); refusal != Refusal::kNone)
    return origin_.refuse(update, refusal);
  if (origin_.broken()) return Outcome::kClosed;
  if (fetches(update.operation) && !origin_.landing().expect()) return origin_.no_slot();
  if (const Push push = origin_.sender().reserve(); push != Push::kOk) {
    if (fetches(update.operation)) origin_.landing().cancel();
    return outcome_of(push);
  }
  packet_.payload_bytes = static_cast<std::uint64_t>(update.width);
  packet_.instance = place_of(update);
  packet_.tag = update.operand;
  packet_.deadline = update.expected;
  origin_.sender().commit(packet_);
  ++issued_;
  return Outcome::kOk;
}

Outcome NaiveUpdater::flush() noexcept {
  origin_.sender().wake();
  return origin_.closed() ? Outcome::kClosed : Outcome::kOk;
}

}  // namespace woa::onesided
