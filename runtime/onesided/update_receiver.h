// The owner's end of a link: takes the packets of one origin and applies their updates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "runtime/onesided/apply.h"
#include "runtime/onesided/link.h"
#include "runtime/onesided/region.h"
#include "runtime/onesided/returns.h"
#include "runtime/transport/doorbell.h"
#include "runtime/transport/transport.h"

namespace woa::onesided {

// By the thread that owns the region; no call blocks, allocates, logs or makes a system call, but poll() may make one
// to wake an origin that sleeps, and allocates to say that it refused something.
//
// Nothing that an origin sends is trusted: an update outside the region, misaligned, or of an unknown operation or
// width, a bucket outside the link's memory or of a length that is no multiple of a unit, and any other packet ends the
// link. What came before it is applied, it and what follows is not, and the origin finds the channel closed.
class UpdateReceiver final : private PacketSink {
 public:
  // `link` is as allocate_link() made it for `spec`. `origin` must outlive the receiver. kInvalid: `link` is not of
  // `spec`. Otherwise as Transport::open_receiver().
  static Result<std::unique_ptr<UpdateReceiver>> open(Transport& transport, const LinkSpec& spec, const Link& link,
                                                      Region region, Doorbell origin = {});

  // Applies the updates of at most `max_packets`; how many packets. Part of the owner's duty cycle.
  std::size_t poll(std::size_t max_packets) noexcept;
  // Updates applied so far, and packets refused: 0 or 1.
  [[nodiscard]] std::uint64_t applied() const noexcept { return applied_; }
  [[nodiscard]] std::uint64_t refused() const noexcept { return problem_.ok() ? 0 : 1; }
  // Why nothing more will come: kDataLoss, with packet and update where one was refused, or as Receiver::status() says.
  // Ok while open or closed in order.
  [[nodiscard]] Status status() const { return problem_; }
  // True when the origin closed and everything was applied.
  [[nodiscard]] bool closed() const noexcept { return receiver_ != nullptr && receiver_->closed(); }

 private:
  UpdateReceiver(std::unique_ptr<Receiver> receiver, std::unique_ptr<Mapping> buckets, Returns returns, Region region);
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override;
  void apply_update(const ActivationPacket& packet) noexcept;
  void apply_bucket(const ActivationPacket& packet) noexcept;
  void finish(const Applied& result) noexcept;
  void refuse(const std::string& what) noexcept;

  std::unique_ptr<Receiver> receiver_;  // null after a refusal
  std::unique_ptr<Mapping> buckets_;    // null where the link has none
  Returns returns_;
  Region region_;
  std::uint64_t applied_ = 0, packets_ = 0;
  Status problem_;
};

}  // namespace woa::onesided
