#include "runtime/transport/fault/fault_receiver.h"

#include <algorithm>
#include <bit>
#include <string>

namespace woa {
namespace {

constexpr std::uint32_t kReceiverKeepAlivePolls = 32;  // later than the ring itself sees a gap
static_assert(kReceiverKeepAlivePolls <= kPollsUntilLossShows);

}  // namespace

// From this end's ring to the controller, for the time of one poll.
class FaultReceiver::Delivery final : public PacketSink {
 public:
  Delivery(FaultReceiver& end, PacketSink& sink, std::size_t max_packets)
      : end_(end), sink_(sink), max_packets_(max_packets) {}

  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    end_.kill_.reached(ProtocolStep::kPacketRead);
    refused_ = !sink_.on_packet(packet, inline_payload);
    if (refused_) return false;
    ++delivered_;
    ++end_.received_;
    end_.kill_.reached(ProtocolStep::kPacketDelivered);
    return true;
  }
  std::size_t left() const noexcept { return max_packets_ - delivered_; }
  std::size_t delivered() const noexcept { return delivered_; }
  bool refused() const noexcept { return refused_; }

 private:
  FaultReceiver& end_;
  PacketSink& sink_;
  std::size_t max_packets_, delivered_ = 0;
  bool refused_ = false;
};

// From the wrapped receiver onto the wire, likewise.
class FaultReceiver::Arrival final : public PacketSink {
 public:
  Arrival(FaultReceiver& end, Delivery& delivery) : end_(end), delivery_(delivery) {}
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
    return end_.carry(packet, inline_payload, delivery_);
  }

 private:
  FaultReceiver& end_;
  Delivery& delivery_;
};

void FaultReceiver::PacketItem::flip(std::uint64_t bit) noexcept {
  if (bit < kBits) {
    words[bit / 64] ^= std::uint64_t{1} << (bit % 64);
  } else if ((bit - kBits) / 8 < inline_payload.size()) {
    inline_payload[(bit - kBits) / 8] ^= std::byte{1} << (bit % 8);
  } else if ((bit - kBits) / 8 < block.size()) {
    block[(bit - kBits) / 8] ^= std::byte{1} << (bit % 8);
  }
}

FaultReceiver::FaultReceiver(Setup setup)
    : inner_(std::move(setup.inner)),
      ring_(std::move(setup.ring)),
      replicas_(std::move(setup.replicas)),
      view_(setup.spec, ring_->bytes()),
      checked_(setup.spec, ring_, Doorbell()),
      path_(std::move(setup.packets), setup.landing,
            [this](std::uint64_t position, const PacketItem& item) { land(position, item); }),
      kill_(std::move(setup.kill)) {
  passing_.inline_payload.reserve(setup.spec.inline_bytes);
}

FaultReceiver::~FaultReceiver() {
  kill_.reached(ProtocolStep::kConsumerCloses);
  inner_.reset();
  kill_.reached(ProtocolStep::kConsumerClosed);
}

void FaultReceiver::land(std::uint64_t position, const PacketItem& item) noexcept {
  const auto slot = static_cast<std::uint32_t>(position & (view_.slots.size() - 1));
  std::copy(item.inline_payload.begin(), item.inline_payload.end(), view_.slots.inline_area(slot).begin());
  view_.slots[slot].publish(item.words);
}

std::size_t FaultReceiver::poll(PacketSink& sink, std::size_t max_packets) noexcept {
  if (max_packets == 0) return 0;
  path_.tick();
  Delivery delivery(*this, sink, max_packets);
  deliver(delivery);
  if (!delivery.refused() && delivery.left() > 0) {
    Arrival arrival(*this, delivery);
    inner_->poll(arrival, delivery.left());
  }
  if (delivery.delivered() > 0) kill_.reached(ProtocolStep::kPacketsCounted);
  hear_keep_alive(delivery);
  return delivery.delivered();
}

// False: not yet; the wrapped receiver brings it again.
bool FaultReceiver::carry(const ActivationPacket& packet, std::span<const std::byte> inline_payload,
                          Delivery& delivery) noexcept {
  const bool is_new = packet.sequence != static_cast<std::uint32_t>(sent_);
  if (is_new) {
    if (!path_.takes()) return false;
    ++sent_;
    passing_.words = std::bit_cast<HeaderWords>(packet);
    passing_.inline_payload.assign(inline_payload.begin(), inline_payload.end());
    passing_.block = block_of(packet);
    path_.put(passing_);
  }
  deliver(delivery);
  return !delivery.refused();
}

std::span<std::byte> FaultReceiver::block_of(const ActivationPacket& packet) const noexcept {
  const auto replica = replicas_.find(packet.region);
  const bool in_block =
      packet.kind == static_cast<std::uint8_t>(PacketKind::kActivate) && (packet.flags & kInline) == 0;
  if (!in_block || replica == replicas_.end()) return {};
  const std::span<std::byte> memory = replica->second->bytes();
  const std::uint64_t at = std::uint64_t{packet.offset} * kOffsetUnitBytes;
  if (at > memory.size() || packet.payload_bytes > memory.size() - at) return {};
  return memory.subspan(at, packet.payload_bytes);
}

void FaultReceiver::deliver(Delivery& delivery) noexcept {
  if (!lost_ && delivery.left() > 0) checked_.poll(delivery, delivery.left());
}

// What is sent behind all packets, and with every poll again: how many there were, and whether that was all.
void FaultReceiver::hear_keep_alive(const Delivery& delivery) noexcept {
  if (path_.carries()) return;
  if (inner_->closed())
    view_.words->producer_end.store(end_mark(static_cast<std::uint32_t>(sent_ + 1)), std::memory_order_release);
  const bool missing = delivery.delivered() == 0 && !delivery.refused() && received_ < sent_;
  missing_polls_ = missing ? missing_polls_ + 1 : 0;
  lost_ = lost_ || missing_polls_ == kReceiverKeepAlivePolls;
}

Status FaultReceiver::status() const {
  WOA_RETURN_IF_ERROR(inner_->status());
  WOA_RETURN_IF_ERROR(checked_.status());
  if (!lost_) return {};
  return {Code::kDataLoss, "channel: packets were lost: sequence " + std::to_string(received_ + 1) +
                               " expected, the writer's keep-alive says " + std::to_string(sent_)};
}

bool FaultReceiver::closed() const noexcept {
  return inner_->closed() && !path_.carries() && received_ == sent_ && status().ok();
}

void FaultReceiver::give_back(const BlockReturn& block) noexcept {
  kill_.at_return(block, ++returns_);
  inner_->give_back(block);
  kill_.reached(ProtocolStep::kReturnPublished);
}

void FaultReceiver::wake() noexcept {
  inner_->wake();
  kill_.reached(ProtocolStep::kProducerWoken);
}

}  // namespace woa
