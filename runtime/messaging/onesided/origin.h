// The common part of the two updaters that send packets. Internal to runtime/messaging/onesided.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/messaging/onesided/link.h"
#include "runtime/messaging/onesided/returns.h"
#include "runtime/messaging/onesided/updater.h"
#include "runtime/transport/any_transport.h"

namespace woa::onesided {

// The target of an updater's updates.
struct Destination {
  std::uint64_t region_bytes = 0;
  ChannelEnd end{};  // its doorbells: the owner's is rung by flush(); they must outlive the updater
};

inline Outcome outcome_of(Push push) noexcept {
  if (push == Push::kOk) return Outcome::kOk;
  return push == Push::kClosed ? Outcome::kClosed : Outcome::kBackPressured;
}

class Origin {
 public:
  static Result<Origin> open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                             const Destination& destination);
  // The buckets of the link.
  [[nodiscard]] const BlockLayout& buckets() const noexcept { return buckets_; }

  [[nodiscard]] Sender& sender() noexcept { return *sender_; }
  [[nodiscard]] Landing& landing() noexcept { return *landing_; }
  [[nodiscard]] std::uint64_t region_bytes() const noexcept { return region_bytes_; }

  // Outcomes for which status() then gives the reason.
  Outcome refuse(const Update& update, Refusal refusal) noexcept;
  Outcome break_link() noexcept;  // the owner broke a rule
  // True if the owner broke a rule, or nothing more comes back from it, as of the last poll. Costs next to nothing.
  [[nodiscard]] bool broken() const noexcept { return broken_ || landing_->broken(); }
  // Retries what found no room on the wire, and polls for returns.
  void poll() noexcept;
  // The outcome of a fetching update when no slot is left for its value.
  [[nodiscard]] Outcome no_slot() const noexcept { return closed() ? Outcome::kClosed : Outcome::kBackPressured; }
  // The owner closed or broke a rule.
  [[nodiscard]] bool closed() const noexcept { return broken_ || is_closed(*sender_) || !landing_->status().ok(); }

  // How many of `issued` updates the owner reports as applied.
  [[nodiscard]] std::uint64_t completed(std::uint64_t issued) const noexcept;
  [[nodiscard]] Status status(std::uint64_t issued) const;

 private:
  Origin(std::unique_ptr<Sender> sender, std::unique_ptr<Landing> landing, const BlockLayout& buckets,
         std::uint64_t region_bytes) noexcept;

  std::unique_ptr<Sender> sender_;
  std::unique_ptr<Landing> landing_;
  BlockLayout buckets_;
  std::uint64_t region_bytes_;
  bool broken_ = false;
  Refusal refusal_ = Refusal::kNone;  // of the first update refused, and that one
  Update refused_;
};

}  // namespace woa::onesided
