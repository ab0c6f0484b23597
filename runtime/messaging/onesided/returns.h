// Returns to an origin whose updates travel in packets: a count of the updates applied, and fetched values.
//
// They travel over a channel of their own, from the owner to the origin. The owner sends as much as there is room for,
// and the rest with a later packet: it never waits for its origin. Internal to runtime/messaging/onesided.
//
//   field           of a return packet
//   port            kReturnPort
//   instance        updates applied so far, in the order of their issue
//   payload         inline: fetched values of 8 bytes, in the order of issue; those of the updates counted have come
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/transport/any_transport.h"

namespace woa::onesided {

// The owner's end. One thread.
class Returns {
 public:
  // Like AnyTransport::open_sender().
  static Result<Returns> open(AnyTransport transport, std::uint32_t result_slots,
                              const std::shared_ptr<Segment>& channel, const ChannelEnd& end);

  // Adds the next fetched value, in the order of issue. A broken origin that asked for more than there are slots loses
  // some of its own.
  void add(std::uint64_t value) noexcept;
  // Sends the origin the values so far and the count `applied`, as far as there is room. The next call sends the rest,
  // also what found no room on the wire.
  void publish(std::uint64_t applied) noexcept;
  // Like Sender::status().
  [[nodiscard]] Status status() const { return sender_->status(); }

 private:
  Returns(std::unique_ptr<Sender> sender, std::uint32_t result_slots);
  void send(std::uint64_t applied) noexcept;

  std::unique_ptr<Sender> sender_;
  std::vector<std::uint64_t> values_;  // a ring
  std::uint64_t added_ = 0, sent_ = 0;
  std::uint64_t told_ = 0;  // updates applied, by the last packet
};

// The origin's end. One thread.
class Landing final : private PacketSink {
 public:
  // Like AnyTransport::open_receiver().
  static Result<std::unique_ptr<Landing>> open(AnyTransport transport, std::uint32_t result_slots,
                                               const std::shared_ptr<Segment>& channel, const ChannelEnd& end);

  // Claims a slot for a value to come; false while all are under way or hold values that take() has not returned.
  [[nodiscard]] bool expect() noexcept;
  void cancel() noexcept { --expected_; }  // gives back the slot of the last expect()
  // Polls, then writes fetched values in the order of issue, at most out.size(); returns how many.
  std::size_t take(std::span<std::uint64_t> out) noexcept;
  // Polls, then returns the owner's count of applied updates.
  [[nodiscard]] std::uint64_t applied() noexcept;
  // True if, as of the last poll, nothing more will come. status() says why.
  [[nodiscard]] bool broken() const noexcept { return broken_ || lost_; }
  // Ok while open, or closed in order. kDataLoss: the owner sent something else or lowered its count, or the channel
  // lost something. kPeerLost: the wire lost the owner.
  [[nodiscard]] Status status() const;

 private:
  Landing(std::unique_ptr<Receiver> receiver, std::uint32_t result_slots);
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override;
  void look() noexcept;

  std::unique_ptr<Receiver> receiver_;
  std::vector<std::uint64_t> values_;  // a ring
  std::uint64_t expected_ = 0, arrived_ = 0, taken_ = 0;
  std::uint64_t applied_ = 0;
  bool broken_ = false;  // by the owner
  bool lost_ = false;    // by the channel
};

}  // namespace woa::onesided
