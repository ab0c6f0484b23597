#include "bench/micro/payload_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "bench/micro/channel.h"
#include "bench/micro/stream.h"

namespace woa::bench {
namespace {

class Producer {
 public:
  Producer(Sender& sender, BlockPool pool, std::span<std::byte> region, std::span<const std::byte> payload)
      : sender_(sender), pool_(std::move(pool)), blocks_(pool_.free_blocks()), region_(region), payload_(payload) {
    header_.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
    header_.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
    header_.payload_bytes = payload.size();
  }

  [[nodiscard]] bool produce(std::uint64_t messages) {
    for (std::uint64_t k = 0; k < messages; ++k) {
      // The block that came back last is used next, as by a controller, which looks in every duty cycle.
      if (!spin_until([&] { return take_back(sender_, pool_) && pool_.claim(header_.offset); })) return false;
      if (!wait_for_place(sender_)) return false;
      std::memcpy(region_.data() + header_.offset * kOffsetUnitBytes, payload_.data(), payload_.size());
      pool_.hold(header_.offset, 1);
      sender_.commit(header_);
    }
    return spin_until([&] { return take_back(sender_, pool_) && pool_.free_blocks() == blocks_; });
  }

 private:
  Sender& sender_;
  BlockPool pool_;
  std::uint32_t blocks_;
  std::span<std::byte> region_;
  std::span<const std::byte> payload_;
  ActivationPacket header_;
};

class Consumer final : public PacketSink {
 public:
  Consumer(Receiver& receiver, std::span<const std::byte> region, std::size_t block_bytes)
      : receiver_(receiver), region_(region), block_bytes_(block_bytes) {}

  [[nodiscard]] bool consume(std::uint64_t messages) {
    if (!std::exchange(warm_, true)) take_pages();
    return take_packets(receiver_, *this, messages);
  }
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte> /*inline_payload*/) noexcept override {
    touch_ends(region_.subspan(packet.offset * kOffsetUnitBytes, packet.payload_bytes));
    receiver_.give_back({0, packet.offset, packet.region, 0});
    return true;
  }

 private:
  // The producer prefers blocks that it used before, so that warming up need not reach them all.
  void take_pages() const {
    for (std::size_t at = 0; at < region_.size(); at += block_bytes_) touch_ends(region_.subspan(at, block_bytes_));
  }

  Receiver& receiver_;
  std::span<const std::byte> region_;
  std::size_t block_bytes_;
  bool warm_ = false;
};

}  // namespace

Result<double> payload_stream_ns(SharedMemory& transport, std::uint32_t blocks, std::span<const std::byte> payload,
                                 std::uint64_t messages) {
  const std::size_t block_bytes = (payload.size() + kOffsetUnitBytes - 1) / kOffsetUnitBytes * kOffsetUnitBytes;
  WOA_ASSIGN_OR_RETURN(auto pool, BlockPool::make(blocks, block_bytes));
  ChannelSpec spec;
  spec.ring_slots = std::max(spec.ring_slots, std::bit_ceil(blocks));
  spec.return_slots = spec.ring_slots;
  spec.inline_bytes = 0;
  WOA_ASSIGN_OR_RETURN(const auto channel, open_channel(transport, spec));
  WOA_ASSIGN_OR_RETURN(const auto region, open_region(transport, blocks * block_bytes));
  Producer producer(*channel.sender, std::move(pool), region.producer->bytes(), payload);
  Consumer consumer(*channel.receiver, region.consumer->bytes(), block_bytes);
  return stream_ns(stream_of(producer, consumer), blocks, messages);
}

}  // namespace woa::bench
