// A packet per update: the simplest updater, and the baseline of the others.
#pragma once

#include <memory>

#include "runtime/messaging/onesided/link.h"
#include "runtime/messaging/onesided/origin.h"
#include "runtime/messaging/onesided/updater.h"

namespace woa::onesided {

// The update travels in the header alone. `ring_slots` of the link's spec bounds the updates under way.
class NaiveUpdater final : public Updater {
 public:
  // `link` comes from allocate_link() for `spec`, and is connected if each end has its own; else kInvalid. Its buckets,
  // if any, stay unused. Otherwise like AnyTransport::open_sender().
  static Result<std::unique_ptr<NaiveUpdater>> open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                    const Destination& destination);

  Outcome update(const Update& update) noexcept override;
  Outcome flush() noexcept override;
  void poll(std::uint64_t /*now_ns*/) noexcept override { origin_.poll(); }  // nothing is held back
  std::size_t take_results(std::span<std::uint64_t> out) noexcept override { return origin_.landing().take(out); }
  std::uint64_t issued() const noexcept override { return issued_; }
  std::uint64_t completed() const noexcept override { return origin_.completed(issued_); }
  Status status() const override { return origin_.status(issued_); }

 private:
  explicit NaiveUpdater(Origin origin) noexcept : origin_(std::move(origin)) {}

  Origin origin_;
  ActivationPacket packet_ = packet_to(kUpdatePort);
  std::uint64_t issued_ = 0;
};

}  // namespace woa::onesided
