// Each fault on the way to the consumer: an error that names what is missing, or everything once and in order.
#include <bit>

#include "runtime/transport/ring_layout.h"
#include "tests/unit/runtime/transport/fault/faulty_channel.h"

namespace woa::test {
namespace {

// Sends 8 packets, the third of which meets `plan`, and polls until a loss must have shown.
FaultyChannel after_eight(Inner inner, PathOptions wire, const FaultPlan& plan) {
  FaultyChannel channel(inner, {plan}, wire);
  channel.send_until(8);
  poll_for_long(*channel.receiver, channel.inbox);
  return channel;
}

void require_lost(const FaultyChannel& channel, std::uint64_t expected) {
  const Status status = channel.receiver->status();
  INFO(status.message());
  REQUIRE(channel.received_in_order() == expected - 1);
  REQUIRE(status.code() == Code::kDataLoss);
  REQUIRE(says(status, "sequence " + std::to_string(expected) + " expected"));
  REQUIRE_FALSE(channel.receiver->closed());
}

void require_all(const FaultyChannel& channel) {
  INFO(channel.receiver->status().message());
  REQUIRE(channel.receiver->status().ok());
  REQUIRE(channel.received_in_order() == channel.sent);
}

}  // namespace

TEST_CASE("a dropped packet is reported when the next one is there, and nothing behind it is delivered") {
  for_every_wire([](Inner inner, PathOptions wire) {
    const FaultyChannel channel = after_eight(inner, wire, fault(FaultKind::kDrop, 3));
    require_lost(channel, 3);
    REQUIRE(says(channel.receiver->status(), "4 found"));  // by the ring itself, before any keep-alive
  });
}

TEST_CASE("a dropped last packet is reported though nothing follows") {
  for_every_wire([](Inner inner, PathOptions wire) {
    FaultyChannel channel = after_eight(inner, wire, fault(FaultKind::kDrop, 8));
    require_lost(channel, 8);
    REQUIRE(says(channel.receiver->status(), "keep-alive says 8"));
  });
}

TEST_CASE("a dropped last packet is reported by the ring itself when the producer closes") {
  for_every_wire([](Inner inner, PathOptions wire) {
    FaultyChannel channel(inner, {fault(FaultKind::kDrop, 2)}, wire);
    channel.send_until(2);
    channel.sender.reset();
    poll_for_long(*channel.receiver, channel.inbox);
    require_lost(channel, 2);
    REQUIRE(says(channel.receiver->status(), "closed before 3"));
  });
}

TEST_CASE("in a ring of one slot a dropped packet is reported, too") {
  for_every_wire([](Inner inner, PathOptions wire) {
    FaultyChannel channel(inner, {fault(FaultKind::kDrop, 2)}, wire, {1, 1, 0, false});
    channel.send_until(1);
    REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 1);
    channel.send_until(2);
    poll_for_long(*channel.receiver, channel.inbox);
    require_lost(channel, 2);
  });
}

TEST_CASE("a delayed packet holds up those behind it, for so many polls, and all arrive") {
  for_every_wire([](Inner inner, PathOptions wire) {
    FaultyChannel channel(inner, {fault(FaultKind::kDelay, 3, 10)}, wire);
    channel.send_until(8);
    REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 2);
    for (int k = 1; k < 10; ++k) REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 0);
    REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 6);
    require_all(channel);
  });
}

TEST_CASE("a producer that closes behind a delayed packet loses nothing") {
  for_every_wire([](Inner inner, PathOptions wire) {
    FaultyChannel channel(inner, {fault(FaultKind::kDelay, 8, 40)}, wire);
    channel.send_until(8);
    channel.sender.reset();
    for (int k = 0; k < 40; ++k) {
      channel.receiver->poll(channel.inbox, kAll);
      REQUIRE_FALSE(channel.receiver->closed());
    }
    REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 1);
    REQUIRE(channel.receiver->closed());
    require_all(channel);
  });
}

TEST_CASE("packets that arrive swapped are put in order by their slots, or reported") {
  for (const Inner inner : kInners) {
    require_all(after_eight(inner, {Landing::kByNumber}, fault(FaultKind::kReorder, 3, 2)));
    const FaultyChannel channel = after_eight(inner, {Landing::kByArrival}, fault(FaultKind::kReorder, 3, 2));
    require_lost(channel, 3);
    REQUIRE(says(channel.receiver->status(), "4 found"));
  }
}

TEST_CASE("a swapped packet that nothing follows arrives late") {
  for_every_wire(
      [](Inner inner, PathOptions wire) { require_all(after_eight(inner, wire, fault(FaultKind::kReorder, 8, 2))); });
}

TEST_CASE("a packet that comes again as a message is reported") {
  for (const std::uint32_t later : {0U, 2U}) {
    for (const Inner inner : kInners) {
      const FaultyChannel channel = after_eight(inner, {Landing::kByArrival}, fault(FaultKind::kDuplicate, 3, later));
      require_lost(channel, 4 + later);
      REQUIRE(says(channel.receiver->status(), "3 found"));
    }
  }
}

TEST_CASE("a packet that is written again into its slot is delivered once") {
  for (const std::uint32_t later : {0U, 2U}) {
    for (const Inner inner : kInners)
      require_all(after_eight(inner, {Landing::kByNumber}, fault(FaultKind::kDuplicate, 3, later)));
  }
}

TEST_CASE("a packet that is written again over a later one is reported") {
  for (const Inner inner : kInners) {
    FaultyChannel channel(inner, {fault(FaultKind::kDuplicate, 1, 4)}, {}, {4, 4, 64, false});
    channel.send_until(4);
    REQUIRE(channel.receiver->poll(channel.inbox, kAll) == 4);
    channel.send_until(6);
    poll_for_long(*channel.receiver, channel.inbox);
    require_lost(channel, 5);
  }
}

TEST_CASE("any bit of a header flipped on a wire with CRCs is reported") {
  for (const Inner inner : kInners) {
    for (std::uint32_t bit = 0; bit < 8 * kPacketBytes; ++bit) {
      FaultPlan plan = fault(FaultKind::kCorrupt, 1);
      plan.bit = bit;
      FaultyChannel channel(inner, {plan}, {Landing::kByNumber, true});
      channel.send_until(1);
      poll_for_long(*channel.receiver, channel.inbox);
      INFO("bit " << bit);
      REQUIRE(channel.receiver->status().code() == Code::kDataLoss);
      REQUIRE(channel.inbox.packets.empty());
    }
  }
}

// Without a CRC a channel checks the rules of the packet and the sequence, no more.
TEST_CASE("without CRCs exactly those bits are reported that break a rule of the packet or its sequence") {
  constexpr std::uint32_t kSequenceBit = 8 * offsetof(ActivationPacket, sequence);
  std::uint32_t unseen = 0;
  for (std::uint32_t bit = 0; bit < 8 * kPacketBytes; ++bit) {
    FaultPlan plan = fault(FaultKind::kCorrupt, 1);
    plan.bit = bit;
    FaultyChannel channel(Inner::kLoopback, {plan});
    channel.send_until(1);
    poll_for_long(*channel.receiver, channel.inbox);
    ActivationPacket flipped = token(1);
    flipped.sequence = 1;
    auto words = std::bit_cast<HeaderWords>(flipped);
    words[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    flipped = std::bit_cast<ActivationPacket>(words);
    const bool shows = check(flipped) != Rejection::kNone || bit / 32 == kSequenceBit / 32;
    INFO("bit " << bit << ": " << channel.receiver->status().message());
    REQUIRE(channel.receiver->status().ok() == !shows);
    REQUIRE(channel.inbox.packets.size() == (shows ? 0 : 1));
    if (shows) continue;
    REQUIRE(std::memcmp(&channel.inbox.packets[0], &flipped, sizeof flipped) == 0);
    ++unseen;
  }
  REQUIRE(unseen > 200);  // instance, tag, deadline, stage, ...: what the header CRC is for
}

TEST_CASE("a bit of inline payload flipped is seen by nobody, and changes that bit alone") {
  for (const std::uint32_t bit : {0U, 77U, 511U}) {
    FaultPlan plan = fault(FaultKind::kCorrupt, 1);
    plan.bit = static_cast<std::uint32_t>(8 * kPacketBytes) + bit;
    FaultyChannel channel(Inner::kShm, {plan}, {Landing::kByNumber, true});
    ActivationPacket packet = token(1);
    packet.flags = kInline;
    packet.payload_bytes = 64;
    auto payload = cts::pattern(64, 1);
    REQUIRE(send(*channel.sender, packet, payload));
    poll_for_long(*channel.receiver, channel.inbox);
    payload[bit / 8] ^= std::byte{1} << (bit % 8);
    REQUIRE(channel.receiver->status().ok());
    REQUIRE(channel.inbox.last_inline == payload);
  }
}

TEST_CASE("a ring that is full for a while takes everything afterwards") {
  for_every_wire([](Inner inner, PathOptions wire) {
    FaultyChannel channel(inner, {fault(FaultKind::kFillUp, 3, 5)}, wire);
    channel.send_until(2);
    for (int k = 0; k < 5; ++k) REQUIRE(channel.sender->reserve() == Push::kBackPressured);
    REQUIRE_FALSE(is_closed(*channel.sender));
    channel.send_until(8);
    poll_for_long(*channel.receiver, channel.inbox);
    require_all(channel);
  });
}

TEST_CASE("a fault hits the channel that it was meant for, and as often as it was meant to") {
  FaultPlan plan = fault(FaultKind::kDrop, 1);
  plan.channel = 1;
  FaultTransport transport(make_inner(Inner::kLoopback), {plan});
  const ChannelSpec spec{16, 16, 64, false};
  for (std::uint32_t number = 0; number < 3; ++number) {
    const auto segment = need(transport.allocate("channel", need(ring_channel_bytes(spec))));
    const auto sender = need(transport.open_sender(spec, *segment, {}));
    const auto receiver = need(transport.open_receiver(spec, *segment, {}));
    Inbox inbox;
    REQUIRE(send(*sender, token(1)));
    REQUIRE(send(*sender, token(2)));
    poll_for_long(*receiver, inbox);
    REQUIRE(receiver->status().ok() == (number != 1));
  }
}

}  // namespace woa::test
