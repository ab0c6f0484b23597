// What the two ways that send packets have in common at their origin. Internal to runtime/messaging/onesided.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/messaging/onesided/link.h"
#include "runtime/messaging/onesided/returns.h"
#include "runtime/messaging/onesided/updater.h"
#include "runtime/transport/transport.h"

namespace woa::onesided {

// Where an updater's updates go.
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
  static Result<Origin> open(Transport& transport, const LinkSpec& spec, const Link& link,
                             const Destination& destination);
  // Of the link.
  [[nodiscard]] const BlockLayout& buckets() const noexcept { return buckets_; }

  [[nodiscard]] Sender& sender() noexcept { return *sender_; }
  [[nodiscard]] Landing& landing() noexcept { return *landing_; }
  [[nodiscard]] std::uint64_t region_bytes() const noexcept { return region_bytes_; }

  // Outcomes, with what status() is to say.
  Outcome refuse(const Update& update, Refusal refusal) noexcept;
  Outcome break_link() noexcept;  // the owner broke a rule
  // The owner broke a rule, or nothing comes back from it any more, as far as the last look shows. Costs next to
  // nothing.
  [[nodiscard]] bool broken() const noexcept { return broken_ || landing_->broken(); }
  // Tries again what found no room on the wire, and looks for what has come.
  void poll() noexcept;
  // What a fetching update is answered when no slot is left for its value.
  [[nodiscard]] Outcome no_slot() const noexcept { return closed() ? Outcome::kClosed : Outcome::kBackPressured; }
  // The owner closed or broke a rule.
  [[nodiscard]] bool closed() const noexcept { return broken_ || sender_->closed() || !landing_->status().ok(); }

  // Of `issued`, as the owner says.
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
