#include "runtime/messaging/onesided/aggregated_updater.h"

#include <array>
#include <cstring>

namespace woa::onesided {

Result<std::unique_ptr<AggregatedUpdater>> AggregatedUpdater::open(AnyTransport transport, const LinkSpec& spec,
                                                                   const Link& link, const Destination& destination,
                                                                   std::uint64_t age_ns) {
  auto origin = Origin::open(transport, spec, link, destination);
  if (!origin.ok()) return origin.status();
  if (spec.buckets == 0) return {Code::kInvalid, "link: buckets is 0; an aggregating updater needs at least 1"};
  auto buckets = link.blocks->map(Access::kReadWrite);
  if (!buckets.ok()) return buckets.status();
  BlockPool pool(origin->buckets());
  return std::unique_ptr<AggregatedUpdater>(
      new AggregatedUpdater(std::move(*origin), std::move(*buckets), std::move(pool), spec.bucket_units, age_ns));
}

AggregatedUpdater::AggregatedUpdater(Origin origin, std::unique_ptr<Mapping> buckets, BlockPool pool,
                                     std::uint32_t bucket_units, std::uint64_t age_ns) noexcept
    : elements64_(origin.region_bytes() >> shift_of(Width::k64)),
      elements32_(origin.region_bytes() >> shift_of(Width::k32)),
      units_(bucket_units),
      origin_(std::move(origin)),
      buckets_(std::move(buckets)),
      pool_(std::move(pool)),
      age_ns_(age_ns) {
  next_ = end_ = units_.data();
}

AggregatedUpdater::~AggregatedUpdater() { send_bucket(); }

Outcome AggregatedUpdater::update_slowly(const Update& update) noexcept {
  if (const Refusal refusal = check(update, origin_.region_bytes()); refusal != Refusal::kNone)
    return origin_.refuse(update, refusal);
  if (origin_.broken()) return Outcome::kClosed;
  const std::uint64_t units = update.operation == Operation::kCompareSwap ? 2 : 1;
  if (left() < units) {
    if (const Outcome sent = send_bucket(); sent != Outcome::kOk) return sent;
    if (const Outcome opened = open_bucket(); opened != Outcome::kOk) return opened;
  }
  if (fetches(update.operation) && !origin_.landing().expect()) return origin_.no_slot();
  *next_++ = {place_of(update), update.operand};
  if (units == 2) *next_++ = {update.expected, 0}, ++pairs_;
  if (next_ == end_) send_bucket();  // no place: the next update or flush tries again
  return Outcome::kOk;
}

Outcome AggregatedUpdater::send_bucket() noexcept {
  if (origin_.broken()) return Outcome::kClosed;
  if (held() == 0) return Outcome::kOk;
  if (const Push push = origin_.sender().reserve(); push != Push::kOk) return outcome_of(push);
  const bool kept_rules = take_back();
  if (!kept_rules || !pool_.claim(packet_.offset)) {
    origin_.sender().cancel();
    if (!kept_rules) return origin_.break_link();
    return is_closed(origin_.sender()) ? Outcome::kClosed : Outcome::kBackPressured;
  }
  packet_.payload_bytes = held() * sizeof(Unit);
  std::memcpy(buckets_->bytes().data() + std::uint64_t{packet_.offset} * kOffsetUnitBytes, units_.data(),
              packet_.payload_bytes);
  pool_.hold(packet_.offset, 1);
  origin_.sender().commit(packet_);
  sent_ += held() - pairs_;
  next_ = end_ = units_.data();
  pairs_ = since_ns_ = 0;
  return Outcome::kOk;
}

// Also checks if the link still works, which single updates do not.
Outcome AggregatedUpdater::open_bucket() noexcept {
  if (!take_back()) return origin_.break_link();
  if (is_closed(origin_.sender())) return Outcome::kClosed;
  end_ = next_ + units_.size();
  return Outcome::kOk;
}

// False: the owner returned a block that is no bucket under way.
bool AggregatedUpdater::take_back() noexcept {
  std::array<BlockReturn, 16> returns;
  for (std::size_t count = returns.size(); count == returns.size();) {
    count = origin_.sender().poll_returns(returns);
    for (std::size_t k = 0; k < count; ++k)
      if (!pool_.release(returns[k].offset)) return false;
  }
  return true;
}

Outcome AggregatedUpdater::flush() noexcept {
  const Outcome sent = send_bucket();
  origin_.sender().wake();
  return origin_.closed() ? Outcome::kClosed : sent;
}

void AggregatedUpdater::poll(std::uint64_t now_ns) noexcept {
  origin_.poll();
  if (held() == 0) return;
  if (since_ns_ == 0) since_ns_ = now_ns;
  if (now_ns - since_ns_ >= age_ns_) flush();
}

}  // namespace woa::onesided
