// Packets that the host prepares and a device publishes: their order, their end, and what takes the place of those that
// never come.
#include "runtime/transport/ring_layout.h"
#include "tests/cts/transport/channel.h"
#include "tests/support/alloc_counter.h"
#include "tests/support/free_places.h"
#include "tests/support/publishing_device.h"

namespace woa::cts {
namespace {

using test::PublishingDevice;

// A channel with a sender that prepares, and a region with a block for each place of its ring.
struct PreparedChannel {
  static constexpr std::size_t kBlockBytes = 256;

  // As packet number `n` (from 0), whose payload lies in the block of its place.
  ActivationPacket in_block(std::uint64_t n) const {
    ActivationPacket packet = token(n);
    packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
    packet.region = 7;
    packet.payload_bytes = kBlockBytes;
    packet.offset = static_cast<std::uint32_t>(n % spec.ring_slots * kBlockBytes / kOffsetUnitBytes);
    return packet;
  }
  std::span<std::byte> block_of(const ActivationPacket& packet) const {
    return blocks->bytes().subspan(std::size_t{packet.offset} * kOffsetUnitBytes, kBlockBytes);
  }
  // The same as the reader sees it.
  std::span<const std::byte> payload_of(const ActivationPacket& packet) const {
    return read_blocks->bytes().subspan(std::size_t{packet.offset} * kOffsetUnitBytes, kBlockBytes);
  }
  Publication prepare(const ActivationPacket& packet) const {
    REQUIRE(sender->reserve() == Push::kOk);
    return sender->prepare(packet);
  }
  // Number `n` of the channel goes to the device with its payload, unless a packet of the host waits.
  Publication hand_over(PublishingDevice& device, std::uint64_t n) const {
    const Publication prepared = prepare(in_block(n));
    if (prepared.word != nullptr) {
      device.publish(prepared, block_of(in_block(n)), pattern(kBlockBytes, n));
    } else {
      std::ranges::copy(pattern(kBlockBytes, n), block_of(in_block(n)).begin());
      sender->publish(prepared);
    }
    return prepared;
  }

  ChannelSpec spec = cts::spec();
  std::unique_ptr<SharedMemory> memory = make_memory();
  std::shared_ptr<SharedSegment> segment = need(memory->allocate("channel", need(ring_channel_bytes(spec))));
  std::shared_ptr<SharedSegment> region = need(memory->allocate("region", spec.ring_slots* kBlockBytes));
  std::unique_ptr<Mapping> blocks = need(region->map(Access::kReadWrite));
  // Of its own, as a reader's is: ThreadSanitizer does not know that two places of the ring are one.
  std::unique_ptr<Mapping> read_blocks = need(region->map(Access::kRead));
  DoorbellLine consumer_bell, producer_bell;
  std::unique_ptr<PreparingSender> sender =
      need(memory->open_preparing_sender(spec, *segment, Doorbell(&consumer_bell)));
  std::unique_ptr<Receiver> receiver = need(memory->open_receiver(spec, *segment, Doorbell(&producer_bell)));
};

// Takes packets that must come as 0, 1, ..., each with its payload whole or as poison.
class InOrder final : public PacketSink {
 public:
  explicit InOrder(const PreparedChannel& channel) : channel_(channel) {}

  bool on_packet(const ActivationPacket& packet, std::span<const std::byte>) noexcept override {
    right &= packet.instance == packets && packet.sequence == packets + 1;
    if (packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison)) {
      ++poisons;
    } else if (packet.payload_bytes != 0) {
      const std::span<const std::byte> block = channel_.payload_of(packet);
      right &= std::ranges::equal(block, pattern(block.size(), packet.instance));
    }
    ++packets;
    return true;
  }

  std::uint64_t packets = 0, poisons = 0;
  bool right = true;

 private:
  const PreparedChannel& channel_;
};

ActivationPacket poison(std::uint64_t instance) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  packet.status = static_cast<std::uint8_t>(Code::kUnavailable);
  packet.instance = instance;
  return packet;
}

bool closes_in_order(PreparedChannel& channel) {
  Inbox rest;
  channel.sender.reset();
  return poll_for_long(*channel.receiver, rest) == 0 && channel.receiver->closed() && channel.receiver->status().ok();
}

}  // namespace

TEST_CASE("a prepared packet is read once its publication is stored, and not before") {
  PreparedChannel channel;
  Inbox inbox;
  for (std::uint64_t n = 0; n < 2 * channel.spec.ring_slots; ++n) {
    const Publication prepared = channel.prepare(channel.in_block(n));
    REQUIRE(reinterpret_cast<std::uintptr_t>(prepared.word) % sizeof(prepared.value) == 0);
    REQUIRE(poll_for_long(*channel.receiver, inbox) == 0);
    REQUIRE(channel.receiver->status().ok());
    REQUIRE(channel.sender->flush() == 1);
    prepared.store();
    REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
    ActivationPacket expected = channel.in_block(n);
    expected.sequence = static_cast<std::uint32_t>(n + 1);
    if (channel.spec.header_crc) seal(expected);
    REQUIRE(std::memcmp(&inbox.packets.back(), &expected, sizeof expected) == 0);
    REQUIRE(channel.sender->flush() == 0);
  }
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("commits behind a prepared packet wait for it, and a device overtakes none of them") {
  PreparedChannel channel;
  if (channel.spec.ring_slots < 4) return;
  Inbox inbox;
  const Publication first = channel.prepare(token(0));
  REQUIRE(send(*channel.sender, token(1)));
  const Publication third = channel.prepare(token(2));
  REQUIRE(third.word == nullptr);
  ActivationPacket sealed = token(3);
  sealed.sequence = 4;
  seal(sealed);
  REQUIRE(channel.sender->reserve() == Push::kOk);
  REQUIRE(channel.sender->commit_sealed(sealed).ok());
  REQUIRE(channel.sender->flush() == 4);
  REQUIRE(poll_for_long(*channel.receiver, inbox) == 0);
  first.store();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(channel.sender->flush() == 2);
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(poll_for_long(*channel.receiver, inbox) == 0);
  channel.sender->publish(third);
  const Publication fifth = channel.prepare(token(4));
  REQUIRE(fifth.word != nullptr);
  fifth.store();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 3);
  for (std::uint64_t n = 0; n < 5; ++n) REQUIRE(inbox.packets[n].instance == n);
  REQUIRE(channel.receiver->status().ok());
  REQUIRE(channel.sender->flush() == 0);
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("what waits for its turn goes out with the next packet") {
  PreparedChannel channel;
  if (channel.spec.ring_slots < 4) return;
  Inbox inbox;
  const Publication first = channel.prepare(token(0));
  REQUIRE(send(*channel.sender, token(1)));
  first.store();
  const Publication third = channel.prepare(token(2));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 2);
  REQUIRE(send(*channel.sender, token(3)));
  third.store();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(channel.sender->flush() == 0);
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("a sealed header out of sequence is refused, whoever published the one before") {
  PreparedChannel channel;
  channel.prepare(token(0)).store();
  Inbox inbox;
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(channel.sender->reserve() == Push::kOk);
  ActivationPacket sealed = token(1);
  sealed.sequence = 1;
  REQUIRE(channel.sender->commit_sealed(sealed).code() == Code::kDataLoss);
  channel.sender->cancel();
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("the host may publish what it prepared, in turn") {
  PreparedChannel channel;
  if (channel.spec.ring_slots < 2) return;
  Inbox inbox;
  const Publication first = channel.prepare(token(0)), second = channel.prepare(token(1));
  channel.sender->publish(second);
  REQUIRE(poll_for_long(*channel.receiver, inbox) == 0);
  channel.sender->publish(first);
  REQUIRE(channel.receiver->poll(inbox, kAll) == 2);
  REQUIRE(inbox.packets[0].instance == 0);
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("prepared packets take places of the ring until they are read") {
  PreparedChannel channel;
  Inbox inbox;
  const std::uint32_t slots = channel.spec.ring_slots;
  for (int lap = 0; lap < 3; ++lap) {
    std::vector<Publication> prepared;
    for (std::uint32_t n = 0; n < slots; ++n) prepared.push_back(channel.prepare(token(n)));
    REQUIRE(channel.sender->reserve() == Push::kBackPressured);
    for (const Publication& publication : prepared) publication.store();
    REQUIRE(channel.sender->reserve() == Push::kBackPressured);
    REQUIRE(channel.receiver->poll(inbox, kAll) == slots);
    REQUIRE(test::free_places(*channel.sender, slots) == slots);
  }
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("a device on a thread: packets of both come in order, with their payloads") {
  PreparedChannel channel;
  PublishingDevice device;
  InOrder sink(channel);
  std::mt19937 random(3);
  constexpr std::uint64_t kTotal = 4'000;
  for (std::uint64_t sent = 0; sink.packets < kTotal;) {
    for (auto burst = random() % 8; burst > 0 && sent < kTotal; --burst) {
      if (channel.sender->reserve() != Push::kOk) break;
      channel.sender->cancel();
      if (random() % 3 == 0)
        REQUIRE(send(*channel.sender, token(sent)));
      else
        channel.hand_over(device, sent);
      ++sent;
    }
    channel.sender->flush();
    channel.receiver->poll(sink, random() % 8);
    std::this_thread::yield();  // the device needs a processor, too
  }
  REQUIRE(sink.right);
  REQUIRE(channel.sender->flush() == 0);
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("what a destroyed device did not publish goes out as poison, in its place") {
  std::uint64_t poisons = 0, packets = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    PreparedChannel channel;
    PublishingDevice device(seed);
    InOrder sink(channel);
    std::vector<Publication> prepared;
    const std::uint64_t total = channel.spec.ring_slots;
    for (std::uint64_t n = 0; n < total; ++n) prepared.push_back(channel.hand_over(device, n));
    for (auto polls = seed % 32; polls > 0; --polls) channel.receiver->poll(sink, 1), std::this_thread::yield();
    device.destroy();
    std::uint64_t rewritten = 0;
    for (std::uint64_t n = 0; n < total; ++n) rewritten += channel.sender->rewrite(prepared[n], poison(n)) ? 1 : 0;
    REQUIRE(channel.sender->flush() == 0);
    channel.receiver->poll(sink, kAll);
    REQUIRE(send(*channel.sender, token(total)));  // the channel goes on
    channel.receiver->poll(sink, kAll);
    REQUIRE(sink.right);
    REQUIRE(sink.packets == total + 1);
    REQUIRE(sink.poisons == rewritten);
    REQUIRE(closes_in_order(channel));
    poisons += rewritten, packets += total;
  }
  REQUIRE(poisons > 0);
  REQUIRE(poisons < packets);
}

TEST_CASE("what is out is not rewritten, and a rewritten packet brings its message") {
  PreparedChannel channel;
  Inbox inbox;
  const Publication first = channel.prepare(token(0));
  first.store();
  REQUIRE_FALSE(channel.sender->rewrite(first, poison(0)));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE_FALSE(channel.sender->rewrite(first, poison(0)));
  const Publication second = channel.prepare(token(1));
  ActivationPacket failure = poison(1);
  const std::vector<std::byte> message = pattern(channel.spec.inline_bytes, 1);
  failure.flags = kInline;
  failure.payload_bytes = message.size();
  REQUIRE(channel.sender->rewrite(second, failure, message));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(inbox.packets.back().kind == static_cast<std::uint8_t>(PacketKind::kPoison));
  REQUIRE(inbox.packets.back().sequence == 2);
  REQUIRE(inbox.packets.back().region == 0);
  REQUIRE(inbox.last_inline == message);
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("a rewritten packet takes its turn behind one that may still come") {
  PreparedChannel channel;
  if (channel.spec.ring_slots < 2) return;
  Inbox inbox;
  const Publication first = channel.prepare(token(0)), second = channel.prepare(token(1));
  REQUIRE(channel.sender->rewrite(second, poison(1)));
  REQUIRE(poll_for_long(*channel.receiver, inbox) == 0);
  first.store();
  REQUIRE(channel.sender->flush() == 0);
  REQUIRE(channel.receiver->poll(inbox, kAll) == 2);
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("a device that published a packet before the one in front of it is at fault, and what is out stays out") {
  PreparedChannel channel;
  if (channel.spec.ring_slots < 2) return;
  Inbox inbox;
  const Publication first = channel.prepare(token(0)), second = channel.prepare(token(1));
  second.store();
  REQUIRE_FALSE(channel.sender->rewrite(second, poison(1)));
  REQUIRE(channel.sender->rewrite(first, poison(0)));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 2);
  REQUIRE(inbox.packets[0].kind == static_cast<std::uint8_t>(PacketKind::kPoison));
  REQUIRE(inbox.packets[1].kind == static_cast<std::uint8_t>(PacketKind::kActivate));
  REQUIRE(channel.sender->reserve() == Push::kClosed);
  REQUIRE(channel.sender->status().code() == Code::kDataLoss);
  REQUIRE(channel.sender->status().message().find("the device published a packet before") != std::string::npos);
}

TEST_CASE("a sender that closes publishes what waited for its turn") {
  PreparedChannel channel;
  if (channel.spec.ring_slots < 2) return;
  Inbox inbox;
  const Publication first = channel.prepare(token(0));
  REQUIRE(send(*channel.sender, token(1)));
  first.store();
  channel.sender.reset();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 2);
  REQUIRE(channel.receiver->closed());
  REQUIRE(channel.receiver->status().ok());
}

TEST_CASE("a sender that closes with a packet prepared has lost it, and the consumer is told so") {
  PreparedChannel channel;
  Inbox inbox;
  REQUIRE(send(*channel.sender, token(0)));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  static_cast<void>(channel.prepare(token(1)));
  channel.sender.reset();
  REQUIRE(poll_for_long(*channel.receiver, inbox) == 0);
  REQUIRE_FALSE(channel.receiver->closed());
  REQUIRE(channel.receiver->status().code() == Code::kDataLoss);
}

TEST_CASE("a publication after the channel was cut is whole, and the sender may go on closing") {
  PreparedChannel channel;
  Inbox inbox;
  const Publication prepared = channel.prepare(token(0));
  REQUIRE(close_channel(channel.spec, *channel.segment).ok());
  REQUIRE(channel.sender->reserve() == Push::kClosed);
  REQUIRE(channel.receiver->closed());
  prepared.store();
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(inbox.packets.back().instance == 0);
  REQUIRE(channel.sender->flush() == 0);
  REQUIRE(closes_in_order(channel));
}

TEST_CASE("a consumer that went away leaves the device's stores harmless") {
  PreparedChannel channel;
  PublishingDevice device;
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) channel.hand_over(device, n);
  channel.receiver.reset();
  REQUIRE(channel.sender->reserve() == Push::kClosed);
  device.complete();
  REQUIRE(channel.sender->flush() == 0);
}

TEST_CASE("a consumer that counts packets that are not out is broken: their slots are not used again") {
  PreparedChannel channel;
  const auto mapping = need(channel.segment->map(Access::kReadWrite));
  for (std::uint32_t n = 0; n < channel.spec.ring_slots; ++n) static_cast<void>(channel.prepare(token(n)));
  ChannelView(channel.spec, mapping->bytes()).words->consumed = 1;
  REQUIRE(channel.sender->reserve() == Push::kClosed);
  REQUIRE(is_closed(*channel.sender));
  REQUIRE(channel.sender->status().code() == Code::kDataLoss);
  REQUIRE(channel.sender->status().message().find("not published") != std::string::npos);
}

TEST_CASE("the producer wakes the consumer when a publication shows") {
  PreparedChannel channel;
  Doorbell(&channel.consumer_bell).prepare();
  channel.prepare(token(0)).store();
  REQUIRE(channel.consumer_bell.rings == 0);
  REQUIRE(channel.sender->flush() == 0);
  channel.sender->wake();
  REQUIRE(channel.consumer_bell.rings == 1);
}

TEST_CASE("preparing, publishing and rewriting allocate nothing") {
  PreparedChannel channel;
  Inbox inbox;
  const std::uint64_t before = test::allocations();
  for (std::uint64_t n = 0; n < 100; ++n) {
    if (channel.sender->reserve() != Push::kOk) break;
    const Publication prepared = channel.sender->prepare(token(n));
    if (n % 3 == 0) prepared.store();
    if (n % 3 == 1) channel.sender->publish(prepared);
    if (n % 3 == 2 && !channel.sender->rewrite(prepared, poison(n))) break;
    channel.sender->flush();
    channel.receiver->poll(inbox, kAll);
  }
  REQUIRE(test::allocations() == before);
  REQUIRE(inbox.packets.size() == 100);
}

}  // namespace woa::cts
