#include "runtime/onesided/update_receiver.h"

#include <array>
#include <string>

#include "runtime/onesided/packets.h"

namespace woa::onesided {

Result<std::unique_ptr<UpdateReceiver>> UpdateReceiver::open(Transport& transport, const LinkSpec& spec,
                                                             const Link& link, Region region, ChannelEnd end) {
  auto checked = check_link(transport, spec, link, std::move(end));
  if (!checked.ok()) return checked.status();
  auto returns = Returns::open(transport, spec.result_slots, link.returns, checked->returns_end);
  if (!returns.ok()) return returns.status();
  std::unique_ptr<Mapping> memory;
  if (link.buckets != nullptr) {
    auto mapping = transport.map(link.buckets, Access::kRead);
    if (!mapping.ok()) return mapping.status();
    memory = std::move(*mapping);
  }
  auto receiver = transport.open_receiver(checked->channel, link.channel, std::move(checked->end));
  if (!receiver.ok()) return receiver.status();
  return std::unique_ptr<UpdateReceiver>(new UpdateReceiver(std::move(*receiver), {std::move(memory), checked->buckets},
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
  returns_.publish(applied_);
  if (packets > 0) receiver_->wake();
  if (problem_.ok()) problem_ = receiver_->status().with_context("one-sided");
  // What came before the wire lost the origin is applied first.
  if (problem_.ok() && packets == 0) problem_ = returns_.status().with_context("one-sided: results");
  if (!problem_.ok()) receiver_.reset();
  return packets;
}

bool UpdateReceiver::on_packet(const ActivationPacket& packet, std::span<const std::byte> /*inline_payload*/) noexcept {
  if (is_activation_in_memory(packet) && packet.port == kUpdatePort) {
    apply_update(packet);
  } else if (is_activation_in_memory(packet) && packet.port == kBucketPort) {
    apply_bucket(packet);
  } else {
    refuse("neither an update nor a bucket: " + to_string(packet));
  }
  ++packets_;
  return problem_.ok();
}

void UpdateReceiver::apply_update(const ActivationPacket& packet) noexcept {
  const std::array units{Unit{packet.instance, packet.tag}, Unit{packet.deadline, 0}};
  const Update update = update_of(packet.instance, packet.tag);
  if (packet.payload_bytes != static_cast<std::uint64_t>(update.width))
    return refuse("an update of " + std::to_string(packet.payload_bytes) + " bytes to an element of " +
                  std::to_string(static_cast<unsigned>(update.width)));
  const bool pair = update.operation == Operation::kCompareSwap;
  finish(apply(std::span(units).first(pair ? 2 : 1), region_, returns_));
}

void UpdateReceiver::apply_bucket(const ActivationPacket& packet) noexcept {
  if (packet.payload_bytes % sizeof(Unit) != 0)
    return refuse("a bucket of " + std::to_string(packet.payload_bytes) + " bytes; expected a multiple of " +
                  std::to_string(sizeof(Unit)));
  const std::uint64_t begin = std::uint64_t{packet.offset} * kOffsetUnitBytes;
  std::uint32_t bucket = 0;
  if (!buckets_.layout.find(packet.offset, bucket) || packet.payload_bytes > buckets_.layout.block_bytes())
    return refuse(std::to_string(packet.payload_bytes) + " bytes at " + std::to_string(begin) +
                  " are no bucket; there are " + std::to_string(buckets_.layout.blocks()) + " of " +
                  std::to_string(buckets_.layout.block_bytes()) + " bytes");
  const auto* units = reinterpret_cast<const Unit*>(buckets_.memory->bytes().data() + begin);
  finish(apply(std::span(units, packet.payload_bytes / sizeof(Unit)), region_, returns_));
  if (problem_.ok()) receiver_->give_back({0, packet.offset, 0, 0});
}

void UpdateReceiver::finish(const Applied& result) noexcept {
  applied_ += result.updates;
  if (result.refusal != Refusal::kNone)
    refuse("update " + std::to_string(result.updates + 1) +
           " in it: " + describe(result.refused, result.refusal, region_.bytes().size()));
}

void UpdateReceiver::refuse(const std::string& what) noexcept {
  problem_ = {Code::kDataLoss, "one-sided: packet " + std::to_string(packets_ + 1) + " refused: " + what +
                                   "; the link is closed, its origin is at fault"};
}

}  // namespace woa::onesided
