// The ring where the conformance suite cannot reach: its layout, and the wrap of its 32-bit numbers.
#include <cstring>

#include "runtime/transport/prepared_ring.h"
#include "runtime/transport/ring_receiver.h"
#include "runtime/transport/ring_sender.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/transport/heap_channel.h"

namespace woa {
namespace {

constexpr ChannelSpec kSpec{.ring_slots = 4, .return_slots = 4, .inline_bytes = 64, .header_crc = false};

class Numbers final : public PacketSink {
 public:
  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    sequences.push_back(packet.sequence);
    return true;
  }
  std::vector<std::uint32_t> sequences;
};

ActivationPacket packet() {
  ActivationPacket activate;
  activate.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  return activate;
}

}  // namespace

TEST_CASE("the parts of a channel do not overlap and fill it") {
  const std::size_t bytes = *ring_channel_bytes(kSpec);
  const test::HeapChannel memory(kSpec);
  REQUIRE(memory.bytes().size() == bytes);
  const ChannelView view(kSpec, memory.bytes());
  const auto at = [&](const void* part) { return static_cast<const std::byte*>(part) - memory.bytes().data(); };
  REQUIRE(at(&view.slots[0]) == sizeof(ChannelWords));
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    REQUIRE(at(view.slots.inline_area(slot).data()) == at(&view.slots[slot]) + 64);
    REQUIRE(at(&view.slots[slot + 1]) == at(view.slots.inline_area(slot).data()) + 64);
  }
  REQUIRE(at(view.returns.data()) == at(&view.slots[4]));
  REQUIRE(at(view.returns.data() + 4) == static_cast<std::ptrdiff_t>(bytes));
}

TEST_CASE("a header lies in its slot byte for byte, published by the word at offset 40") {
  const auto memory = std::make_shared<test::HeapChannel>(kSpec);
  RingSender sender(kSpec, memory, {});
  ActivationPacket sent = packet();
  sent.instance = 0x0123456789abcdef;
  REQUIRE(sender.reserve() == Push::kOk);
  sender.commit(sent, {});
  sent.sequence = 1;
  const ChannelView view(kSpec, memory->bytes());
  REQUIRE(std::memcmp(&view.slots[0], &sent, sizeof sent) == 0);
}

TEST_CASE("sequences and returns go on through the wrap at 2^32") {
  const auto memory = std::make_shared<test::HeapChannel>(kSpec);
  const std::uint32_t first = 0xfffffff6;  // 0 comes in the third lap
  RingSender sender(kSpec, memory, {}, first);
  RingReceiver receiver(kSpec, memory, {}, first);
  Numbers numbers;
  std::vector<BlockReturn> out(1);
  for (std::uint32_t n = 0; n < 40; ++n) {
    REQUIRE(receiver.poll(numbers, 1) == 0);
    REQUIRE(sender.reserve() == Push::kOk);
    sender.commit(packet(), {});
    REQUIRE(receiver.poll(numbers, 1) == 1);
    REQUIRE(numbers.sequences.back() == first + n);
    receiver.give_back({n, 0, 0, 0});
    REQUIRE(sender.poll_returns(out) == 1);
    REQUIRE(out[0].edge == n);
    REQUIRE(sender.poll_returns(out) == 0);
  }
  REQUIRE(receiver.status().ok());
  REQUIRE_FALSE(sender.closed());
}

TEST_CASE("a full ring stays full across the wrap") {
  const auto memory = std::make_shared<test::HeapChannel>(kSpec);
  const std::uint32_t first = 0xfffffff9;  // the second lap has the wrap in its middle
  RingReceiver receiver(kSpec, memory, {}, first);
  Numbers numbers;
  {
    RingSender sender(kSpec, memory, {}, first);
    for (int lap = 0; lap < 3; ++lap) {
      for (int k = 0; k < 4; ++k) {
        REQUIRE(sender.reserve() == Push::kOk);
        sender.commit(packet(), {});
      }
      REQUIRE(sender.reserve() == Push::kBackPressured);
      REQUIRE(receiver.poll(numbers, 8) == 4);
    }
  }
  REQUIRE(receiver.closed());
  for (std::uint32_t n = 0; n < numbers.sequences.size(); ++n) REQUIRE(numbers.sequences[n] == first + n);
}

TEST_CASE("prepared packets go on through the wrap at 2^32, also those that wait and those rewritten") {
  const auto memory = std::make_shared<test::HeapChannel>(kSpec);
  const std::uint32_t first = 0xfffffff5;  // the packet of sequence 0 is the last of three
  RingReceiver receiver(kSpec, memory, {}, first);
  Numbers numbers;
  {
    PreparedRing sender(kSpec, memory, {}, first);
    for (std::uint32_t lap = 0; lap < 10; ++lap) {
      for (int k = 0; k < 3; ++k) REQUIRE(sender.reserve() == Push::kOk);
      const Publication of_device = sender.prepare(packet(), {});
      const Publication lost = sender.prepare(packet(), {});
      sender.commit(packet(), {});
      REQUIRE(sender.flush() == 3);
      REQUIRE(sender.rewrite(lost, packet(), {}));
      REQUIRE(receiver.poll(numbers, 8) == 0);
      of_device.store();
      REQUIRE_FALSE(sender.rewrite(of_device, packet(), {}));
      REQUIRE(receiver.poll(numbers, 8) == 3);
      REQUIRE(sender.flush() == 0);
    }
  }
  REQUIRE(receiver.closed());
  for (std::uint32_t n = 0; n < 30; ++n) REQUIRE(numbers.sequences[n] == first + n);
}

TEST_CASE("the end of a channel and its losses are seen when the next sequence is 0") {
  const std::uint32_t first = 0xfffffff8;  // two laps end right before 0
  const auto memory = std::make_shared<test::HeapChannel>(kSpec);
  RingReceiver receiver(kSpec, memory, {}, first);
  auto sender = std::make_unique<RingSender>(kSpec, memory, Doorbell{}, first);
  Numbers numbers;
  for (int k = 0; k < 8; ++k) {
    REQUIRE(sender->reserve() == Push::kOk);
    sender->commit(packet(), {});
    REQUIRE(receiver.poll(numbers, 1) == 1);
  }
  REQUIRE(numbers.sequences.back() == 0xffffffff);
  REQUIRE_FALSE(receiver.closed());
  sender.reset();
  REQUIRE(receiver.closed());
  REQUIRE(receiver.status().ok());
}

}  // namespace woa
