// Buckets: updates of one owner gathered and sent as the payload of one packet.
#pragma once

#include <memory>
#include <vector>

#include "runtime/memory/block_pool.h"
#include "runtime/messaging/onesided/link.h"
#include "runtime/messaging/onesided/origin.h"
#include "runtime/messaging/onesided/updater.h"

namespace woa::onesided {

// A bucket is sent when it is full, when poll() finds that it has waited for `age_ns`, and by flush(). The link's spec
// says how many units it holds, and how many buckets may be under way. It is filled in private memory and copied into
// the link's as a whole. The reason: the owner has just read the old contents, so each cache line must be fetched back
// from the other processor; a copy does that for many lines at once, single updates one by one.
class AggregatedUpdater final : public Updater {
 public:
  static constexpr std::uint64_t kAge_ns = 100'000;

  // `link` comes from allocate_link() for `spec`, with at least one bucket, and is connected if each end has its own;
  // else kInvalid. `age_ns`: 0 sends at every poll(). Otherwise like AnyTransport::open_sender().
  static Result<std::unique_ptr<AggregatedUpdater>> open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                         const Destination& destination,
                                                         std::uint64_t age_ns = kAge_ns);
  ~AggregatedUpdater() override;
  AggregatedUpdater(const AggregatedUpdater&) = delete;
  AggregatedUpdater& operator=(const AggregatedUpdater&) = delete;

  // Inline, because its comparison and two stores take less time than a call.
  Outcome update(const Update& update) noexcept override {
    if (fetches(update.operation) || !plain(update) || left() < 2) return update_slowly(update);
    *next_++ = {place_of(update), update.operand};
    return Outcome::kOk;
  }
  Outcome flush() noexcept override;
  void poll(std::uint64_t now_ns) noexcept override;
  std::size_t take_results(std::span<std::uint64_t> out) noexcept override { return origin_.landing().take(out); }
  std::uint64_t issued() const noexcept override { return sent_ + held() - pairs_; }
  std::uint64_t completed() const noexcept override { return origin_.completed(issued()); }
  Status status() const override { return origin_.status(issued()); }

 private:
  AggregatedUpdater(Origin origin, std::unique_ptr<Mapping> buckets, BlockPool pool, std::uint32_t bucket_units,
                    std::uint64_t age_ns) noexcept;

  // True if check() would accept it: a known operation and width, and an element that exists.
  [[nodiscard]] bool plain(const Update& update) const noexcept {
    if (update.operation < Operation::kPut || update.operation > Operation::kMax) return false;
    if (update.width == Width::k64) return element_of(update.offset, Width::k64) < elements64_;
    return update.width == Width::k32 && element_of(update.offset, Width::k32) < elements32_;
  }
  [[nodiscard]] std::uint64_t held() const noexcept { return static_cast<std::uint64_t>(next_ - units_.data()); }
  [[nodiscard]] std::uint64_t left() const noexcept { return static_cast<std::uint64_t>(end_ - next_); }
  Outcome update_slowly(const Update& update) noexcept;
  Outcome send_bucket() noexcept;
  Outcome open_bucket() noexcept;
  [[nodiscard]] bool take_back() noexcept;

  Unit *next_, *end_;                      // in units_, while a bucket is open; else both its begin
  std::uint64_t elements64_, elements32_;  // of the region
  std::vector<Unit> units_;                // the bucket being filled
  Origin origin_;
  std::unique_ptr<Mapping> buckets_;
  BlockPool pool_;
  std::uint64_t age_ns_;
  std::uint64_t since_ns_ = 0;  // when poll() first saw something in units_; 0: not yet
  std::uint64_t sent_ = 0;      // updates in buckets sent
  std::uint64_t pairs_ = 0;     // second units in units_
  ActivationPacket packet_ = packet_to(kBucketPort);
};

}  // namespace woa::onesided
