#include "bench/micro/packet_stream.h"

#include "bench/micro/channel.h"
#include "bench/micro/stream.h"
#include "tests/support/free_places.h"

namespace woa::bench {
namespace {

class Producer {
 public:
  Producer(Sender& sender, std::uint32_t ring_slots, const ActivationPacket& header,
           std::span<const std::byte> inline_payload)
      : sender_(sender), ring_slots_(ring_slots), header_(header), inline_payload_(inline_payload) {}

  [[nodiscard]] bool produce(std::uint64_t messages) {
    for (std::uint64_t k = 0; k < messages; ++k) {
      if (!wait_for_place(sender_)) return false;
      sender_.commit(header_, inline_payload_);
    }
    return spin_until([&] { return test::free_places(sender_, ring_slots_) == ring_slots_; });
  }

 private:
  Sender& sender_;
  std::uint32_t ring_slots_;
  ActivationPacket header_;
  std::span<const std::byte> inline_payload_;
};

class Consumer final : public PacketSink {
 public:
  explicit Consumer(Receiver& receiver) : receiver_(receiver) {}

  [[nodiscard]] bool consume(std::uint64_t messages) { return take_packets(receiver_, *this, messages); }
  bool on_packet(const ActivationPacket& /*packet*/, std::span<const std::byte> inline_payload) noexcept override {
    touch_ends(inline_payload);
    return true;
  }

 private:
  Receiver& receiver_;
};

}  // namespace

Result<double> packet_stream_ns(SharedMemory& transport, std::uint32_t ring_slots, const ActivationPacket& header,
                                std::span<const std::byte> inline_payload, std::uint64_t messages) {
  ChannelSpec spec;
  spec.ring_slots = ring_slots;
  spec.inline_bytes = inline_room(inline_payload.size());
  WOA_ASSIGN_OR_RETURN(const auto channel, open_channel(transport, spec));
  Producer producer(*channel.sender, ring_slots, header, inline_payload);
  Consumer consumer(*channel.receiver);
  return stream_ns(stream_of(producer, consumer), ring_slots, messages);
}

}  // namespace woa::bench
