// The owner's end of a link: takes the packets of one origin and applies their updates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "runtime/messaging/onesided/apply.h"
#include "runtime/messaging/onesided/link.h"
#include "runtime/messaging/onesided/region.h"
#include "runtime/messaging/onesided/returns.h"
#include "runtime/transport/any_transport.h"

namespace woa::onesided {

// Call from the thread that owns the region. No call blocks, allocates or logs, except that poll() allocates to say
// what it refused. With shared memory only poll() may make a system call, to wake a sleeping origin.
//
// Nothing that an origin sends is trusted. These end the link: an update outside the region, misaligned, or of an
// unknown operation or width; a bucket outside the link's memory, or of a length that is no multiple of a unit; any
// other packet. Updates before it are applied, it and later ones are not, and the origin finds the channel closed.
class UpdateReceiver final : private PacketSink {
 public:
  // `link` comes from allocate_link() for `spec`, and is connected if each end has its own. `end` holds its doorbells,
  // which must outlive the receiver; regions in it are ignored. kInvalid: `link` is not of `spec`, or not connected.
  // Otherwise like AnyTransport::open_receiver().
  static Result<std::unique_ptr<UpdateReceiver>> open(AnyTransport transport, const LinkSpec& spec, const Link& link,
                                                      Region region, ChannelEnd end = {});

  // Takes at most `max_packets` packets and applies their updates; returns how many. Part of the owner's duty cycle.
  std::size_t poll(std::size_t max_packets) noexcept;
  // Updates applied so far, and packets refused: 0 or 1.
  [[nodiscard]] std::uint64_t applied() const noexcept { return applied_; }
  [[nodiscard]] std::uint64_t refused() const noexcept { return problem_.ok() ? 0 : 1; }
  // Why nothing more will come: kDataLoss, with packet and update, if one was refused; or the status of the receiver,
  // or of the sender that returns results. Ok while open or closed in order.
  [[nodiscard]] Status status() const { return problem_; }
  // True when the origin closed and everything was applied.
  [[nodiscard]] bool closed() const noexcept { return receiver_ != nullptr && receiver_->closed(); }

 private:
  struct Buckets {
    std::unique_ptr<Mapping> memory;  // null if the link has none
    BlockLayout layout;
  };
  UpdateReceiver(std::unique_ptr<Receiver> receiver, Buckets buckets, Returns returns, Region region);
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override;
  void gather(const ActivationPacket& packet, Operation operation) noexcept;
  void apply_gathered() noexcept;
  void apply_bucket(const ActivationPacket& packet) noexcept;
  void refuse(std::uint64_t packet, const std::string& what) noexcept;
  void refuse(std::uint64_t packet, std::uint64_t update, const Applied& result) noexcept;

  std::unique_ptr<Receiver> receiver_;  // null after a refusal
  Buckets buckets_;
  Returns returns_;
  Region region_;
  std::uint64_t applied_ = 0, packets_ = 0;
  // Single updates are applied some at a time, so that the processor fetches their elements together and not one after
  // another.
  std::array<Unit, 64> units_;
  std::size_t gathered_units_ = 0, gathered_packets_ = 0;  // the last ones of packets_
  Status problem_;
};

}  // namespace woa::onesided
