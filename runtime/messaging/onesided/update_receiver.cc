#include "runtime/messaging/onesided/update_receiver.h"

#include <string>

#include "runtime/messaging/onesided/link.h"

namespace woa::onesided {

Result<std::unique_ptr<UpdateReceiver>> UpdateReceiver::open(AnyTransport transport, const LinkSpec& spec,
                                                             const Link& link, Region region, ChannelEnd end) {
  auto checked = check_link(transport, spec, link);
  if (!checked.ok()) return checked.status();
  auto returns = Returns::open(transport, spec.result_slots, link.returns, end);
  if (!returns.ok()) return returns.status();
  std::unique_ptr<Mapping> memory;
  if (link.blocks != nullptr) {
    auto mapping = link.blocks->map(Access::kRead);
    if (!mapping.ok()) return mapping.status();
    memory = std::move(*mapping);
  }
  auto receiver = transport.open_receiver(checked->channel, link.channel, end, checked->regions);
  if (!receiver.ok()) return receiver.status();
  return std::unique_ptr<UpdateReceiver>(new UpdateReceiver(std::move(*receiver), {std::move(memory), checked->blocks},
                                                            std::move(*returns), std::move(region)));
}

UpdateReceiver::UpdateReceiver(std::unique_ptr<Receiver> receiver, Buckets buckets, Returns returns, Region region)
    : receiver_(std::move(receiver)),
      buckets_(std::move(buckets)),
      returns_(std::move(returns)),
      region_(std::move(region)) {}

std::size_t UpdateReceiver::poll(std::size_t max_packets) noexcept {
  if (receiver_ == nullptr) return 0;
  const std::size_t packets = receiver_->poll(*this, max_packets);
  apply_gathered();
  returns_.publish(applied_);
  if (packets > 0) receiver_->wake();
  if (problem_.ok()) problem_ = receiver_->status().with_context("one-sided");
  // Packets that came before the wire lost the origin are applied first.
  if (problem_.ok() && packets == 0) problem_ = returns_.status().with_context("one-sided: results");
  if (!problem_.ok()) receiver_.reset();
  return packets;
}

bool UpdateReceiver::on_packet(const ActivationPacket& packet, std::span<const std::byte> /*inline_payload*/) noexcept {
  const bool known = is_activation_in_memory(packet);
  const Update update = update_of(packet.instance, packet.tag);
  if (known && packet.port == kUpdatePort && packet.payload_bytes == static_cast<std::uint64_t>(update.width)) {
    gather(packet, update.operation);
    return problem_.ok();
  }
  apply_gathered();
  if (!problem_.ok()) return false;
  ++packets_;
  if (known && packet.port == kBucketPort) {
    apply_bucket(packet);
  } else if (known && packet.port == kUpdatePort) {
    refuse(packets_, "an update of " + std::to_string(packet.payload_bytes) + " bytes to an element of " +
                         std::to_string(static_cast<unsigned>(update.width)));
  } else {
    refuse(packets_, "neither an update nor a bucket: " + to_string(packet));
  }
  return problem_.ok();
}

void UpdateReceiver::gather(const ActivationPacket& packet, Operation operation) noexcept {
  ++packets_;
  units_[gathered_units_++] = {packet.instance, packet.tag};
  if (operation == Operation::kCompareSwap) units_[gathered_units_++] = {packet.deadline, 0};
  ++gathered_packets_;
  if (units_.size() - gathered_units_ < 2) apply_gathered();
}

void UpdateReceiver::apply_gathered() noexcept {
  if (gathered_units_ == 0) return;
  const Applied result = apply(std::span(units_).first(gathered_units_), region_, returns_);
  applied_ += result.updates;
  if (result.refusal != Refusal::kNone) refuse(packets_ - gathered_packets_ + result.updates + 1, 1, result);
  gathered_units_ = gathered_packets_ = 0;
}

void UpdateReceiver::apply_bucket(const ActivationPacket& packet) noexcept {
  if (packet.payload_bytes % sizeof(Unit) != 0)
    return refuse(packets_, "a bucket of " + std::to_string(packet.payload_bytes) + " bytes; expected a multiple of " +
                                std::to_string(sizeof(Unit)));
  const std::uint64_t begin = std::uint64_t{packet.offset} * kOffsetUnitBytes;
  std::uint32_t bucket = 0;
  if (!buckets_.layout.find(packet.offset, bucket) || packet.payload_bytes > buckets_.layout.block_bytes())
    return refuse(packets_, std::to_string(packet.payload_bytes) + " bytes at " + std::to_string(begin) +
                                " are no bucket; there are " + std::to_string(buckets_.layout.blocks()) + " of " +
                                std::to_string(buckets_.layout.block_bytes()) + " bytes");
  const auto* units = reinterpret_cast<const Unit*>(buckets_.memory->bytes().data() + begin);
  const Applied result = apply(std::span(units, packet.payload_bytes / sizeof(Unit)), region_, returns_);
  applied_ += result.updates;
  if (result.refusal != Refusal::kNone) return refuse(packets_, result.updates + 1, result);
  receiver_->give_back({0, packet.offset, 0, 0});
}

void UpdateReceiver::refuse(std::uint64_t packet, std::uint64_t update, const Applied& result) noexcept {
  refuse(packet, "update " + std::to_string(update) +
                     " in it: " + describe(result.refused, result.refusal, region_.bytes().size()));
}

void UpdateReceiver::refuse(std::uint64_t packet, const std::string& what) noexcept {
  problem_ = {Code::kDataLoss, "one-sided: packet " + std::to_string(packet) + " refused: " + what +
                                   "; the link is closed, its origin is at fault"};
}

}  // namespace woa::onesided
