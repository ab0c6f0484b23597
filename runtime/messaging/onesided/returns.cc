#include "runtime/messaging/onesided/returns.h"

#include <array>
#include <cstring>

#include "runtime/messaging/onesided/link.h"

namespace woa::onesided {
Result<Returns> Returns::open(AnyTransport transport, std::uint32_t result_slots,
                              const std::shared_ptr<Segment>& channel, const ChannelEnd& end) {
  auto sender = transport.open_sender(returns_channel_of(transport, result_slots), channel, end);
  if (!sender.ok()) return sender.status();
  return Returns(std::move(*sender), result_slots);
}

Returns::Returns(std::unique_ptr<Sender> sender, std::uint32_t result_slots)
    : sender_(std::move(sender)), values_(result_slots) {}

void Returns::add(std::uint64_t value) noexcept {
  if (added_ - sent_ < values_.size()) values_[added_++ & (values_.size() - 1)] = value;
}

void Returns::publish(std::uint64_t applied) noexcept {
  sender_->poll_returns({});  // sends what found no room before
  bool said = false;
  for (; (told_ != applied || sent_ != added_) && sender_->reserve() == Push::kOk; said = true) send(applied);
  if (said) sender_->wake();
}

// Sends one packet, for which there is room; the count goes with the last values.
void Returns::send(std::uint64_t applied) noexcept {
  std::array<std::uint64_t, kReturnInlineBytes / sizeof(std::uint64_t)> some;
  std::size_t count = 0;
  while (count < some.size() && sent_ != added_) some[count++] = values_[sent_++ & (values_.size() - 1)];
  if (sent_ == added_) told_ = applied;
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.port = kReturnPort;
  packet.instance = told_;
  packet.payload_bytes = count * sizeof(std::uint64_t);
  if (count != 0) packet.flags = kInline;
  sender_->commit(packet, std::as_bytes(std::span(some).first(count)));
}

Result<std::unique_ptr<Landing>> Landing::open(AnyTransport transport, std::uint32_t result_slots,
                                               const std::shared_ptr<Segment>& channel, const ChannelEnd& end) {
  auto receiver = transport.open_receiver(returns_channel_of(transport, result_slots), channel, end);
  if (!receiver.ok()) return receiver.status();
  return std::unique_ptr<Landing>(new Landing(std::move(*receiver), result_slots));
}

Landing::Landing(std::unique_ptr<Receiver> receiver, std::uint32_t result_slots)
    : receiver_(std::move(receiver)), values_(result_slots) {}

bool Landing::expect() noexcept {
  if (expected_ - taken_ == values_.size()) return false;
  ++expected_;
  return true;
}

std::size_t Landing::take(std::span<std::uint64_t> out) noexcept {
  look();
  std::size_t count = 0;
  while (count < out.size() && taken_ < arrived_) out[count++] = values_[taken_++ & (values_.size() - 1)];
  return count;
}

std::uint64_t Landing::applied() noexcept {
  look();
  return applied_;
}

void Landing::look() noexcept {
  if (broken()) return;
  if (receiver_->poll(*this, values_.size()) > 0) receiver_->wake();
  lost_ = !receiver_->status().ok();
}

bool Landing::on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept {
  const bool plain = (packet.flags & ~(kHeaderCrc | kInline)) == 0 && inline_payload.size() == packet.payload_bytes;
  broken_ = packet.kind != static_cast<std::uint8_t>(PacketKind::kActivate) || packet.port != kReturnPort || !plain ||
            packet.payload_bytes % sizeof(std::uint64_t) != 0 || packet.instance < applied_;
  if (broken_) return false;
  // Takes no more values than expected, whatever a broken owner sends.
  for (; !inline_payload.empty() && arrived_ < expected_;
       inline_payload = inline_payload.subspan(sizeof(std::uint64_t)))
    std::memcpy(&values_[arrived_++ & (values_.size() - 1)], inline_payload.data(), sizeof(std::uint64_t));
  applied_ = packet.instance;
  return true;
}

Status Landing::status() const {
  if (broken_)
    return {Code::kDataLoss, "the owner sent something that is no result, or counted fewer updates than before; rerun"};
  return receiver_->status();
}

}  // namespace woa::onesided
