// Order, no loss, no duplicate; reservations; full and empty.
#include <algorithm>

#include "tests/cts/transport/channel.h"
#include "tests/support/free_places.h"

namespace woa::cts {
namespace {

std::uint32_t free_places(const Channel& channel) {
  return test::free_places(*channel.sender, channel.spec.ring_slots);
}

// Every field filled in.
ActivationPacket full_header(std::uint64_t n) {
  ActivationPacket packet = token(n);
  packet.port = static_cast<std::uint16_t>(n * 3);
  packet.tag = ~n;
  packet.deadline = n << 20;
  packet.stage = static_cast<std::uint32_t>(n * 5);
  packet.origin = static_cast<std::uint32_t>(n * 7);
  packet.device = static_cast<std::uint8_t>(MemoryKind::kCpu);
  packet.ordinal = static_cast<std::uint8_t>(n);
  packet.region = static_cast<std::uint16_t>(n * 11);
  packet.payload_bytes = n + 1;
  packet.offset = static_cast<std::uint32_t>(n * 13);
  return packet;
}

// full_header(n) on arrival as packet number n (from 0).
ActivationPacket arrived(std::uint64_t n, bool header_crc) {
  ActivationPacket packet = full_header(n);
  packet.sequence = static_cast<std::uint32_t>(n + 1);
  if (header_crc) seal(packet);
  return packet;
}

bool same(const ActivationPacket& a, const ActivationPacket& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

std::vector<std::uint64_t> instances(const Inbox& inbox) {
  std::vector<std::uint64_t> list;
  for (const ActivationPacket& packet : inbox.packets) list.push_back(packet.instance);
  return list;
}

}  // namespace

TEST_CASE("packets arrive once, in order and unchanged") {
  Channel channel;
  Inbox inbox;
  std::mt19937 random(1);
  const std::uint64_t total = 20 * channel.spec.ring_slots + 7;
  std::uint64_t sent = 0;
  while (inbox.packets.size() < total) {
    for (auto burst = random() % (channel.spec.ring_slots + 2); burst > 0 && sent < total; --burst)
      if (send(*channel.sender, full_header(sent))) ++sent;
    channel.receiver->poll(inbox, random() % (channel.spec.ring_slots + 2));
  }
  REQUIRE(channel.receiver->poll(inbox, kAll) == 0);
  REQUIRE(inbox.packets.size() == total);
  for (std::uint64_t n = 0; n < total; ++n) {
    INFO("packet " << n << ": " << to_string(inbox.packets[n]));
    REQUIRE(same(inbox.packets[n], arrived(n, channel.spec.header_crc)));
  }
}

TEST_CASE("a full ring answers back-pressured, loses nothing, and drains") {
  Channel channel;
  Inbox inbox;
  for (std::uint64_t lap = 0; lap < 3; ++lap) {
    for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
    REQUIRE(channel.sender->reserve() == Push::kBackPressured);
    REQUIRE(channel.sender->reserve() == Push::kBackPressured);
    REQUIRE(channel.receiver->poll(inbox, kAll) == channel.spec.ring_slots);
    REQUIRE(free_places(channel) == channel.spec.ring_slots);
  }
  REQUIRE(inbox.packets.size() == 3 * channel.spec.ring_slots);
  REQUIRE_FALSE(is_closed(*channel.sender));
  REQUIRE_FALSE(channel.receiver->closed());
}

TEST_CASE("one packet consumed makes one place") {
  Channel channel;
  Inbox inbox;
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
  for (std::uint64_t n = 0; n < 3 * channel.spec.ring_slots; ++n) {
    REQUIRE(channel.receiver->poll(inbox, 1) == 1);
    REQUIRE(send(*channel.sender, token(n)));
    REQUIRE(channel.sender->reserve() == Push::kBackPressured);
  }
}

TEST_CASE("a reservation takes a place until it is committed or cancelled") {
  Channel channel;
  Inbox inbox;
  for (std::uint32_t k = 0; k < channel.spec.ring_slots; ++k) REQUIRE(channel.sender->reserve() == Push::kOk);
  REQUIRE(channel.sender->reserve() == Push::kBackPressured);
  REQUIRE(channel.receiver->poll(inbox, kAll) == 0);
  channel.sender->cancel();
  REQUIRE(channel.sender->reserve() == Push::kOk);
  REQUIRE(channel.sender->reserve() == Push::kBackPressured);
  for (std::uint32_t k = 0; k < channel.spec.ring_slots; ++k) channel.sender->cancel();
  REQUIRE(send(*channel.sender, token(9)));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(instances(inbox) == std::vector<std::uint64_t>{9});
}

TEST_CASE("a reservation held through many laps and then cancelled leaves no gap") {
  if (spec().ring_slots < 2) return;  // the held reservation takes the whole ring
  Channel channel;
  Inbox inbox;
  REQUIRE(channel.sender->reserve() == Push::kOk);
  for (std::uint64_t n = 0; n < 5 * channel.spec.ring_slots; ++n) {
    REQUIRE(send(*channel.sender, token(n)));
    REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  }
  channel.sender->cancel();
  REQUIRE(send(*channel.sender, token(77)));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(inbox.packets.back().instance == 77);
  REQUIRE(channel.receiver->status().ok());
}

TEST_CASE("reservations in any number are committed and cancelled in any order") {
  Channel channel;
  Inbox inbox;
  std::mt19937 random(2);
  std::vector<std::uint64_t> open, expected;
  std::uint64_t next = 0;
  for (int step = 0; step < 5000; ++step) {
    const std::size_t in_ring = expected.size() - inbox.packets.size();
    const auto what = random() % 4;
    if (what == 0) {
      const bool room = open.size() + in_ring < channel.spec.ring_slots;
      REQUIRE(channel.sender->reserve() == (room ? Push::kOk : Push::kBackPressured));
      if (room) open.push_back(next++);
    } else if (what == 3) {
      channel.receiver->poll(inbox, random() % 4);
    } else if (!open.empty()) {
      std::swap(open[random() % open.size()], open.back());
      if (what == 1) {
        channel.sender->commit(token(open.back()));
        expected.push_back(open.back());
      } else {
        channel.sender->cancel();
      }
      open.pop_back();
    }
  }
  channel.receiver->poll(inbox, kAll);
  REQUIRE(expected.size() > 100);
  REQUIRE(instances(inbox) == expected);
}

TEST_CASE("the ring wraps at every offset") {
  for (std::uint32_t offset = 0; offset <= spec().ring_slots; ++offset) {
    Channel channel;
    Inbox inbox;
    for (std::uint64_t n = 0; n < offset; ++n) {
      REQUIRE(send(*channel.sender, token(n)));
      REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
    }
    for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(offset + n)));
    REQUIRE(channel.sender->reserve() == Push::kBackPressured);
    REQUIRE(channel.receiver->poll(inbox, kAll) == channel.spec.ring_slots);
    for (std::uint64_t n = 0; n < inbox.packets.size(); ++n) REQUIRE(inbox.packets[n].instance == n);
  }
}

TEST_CASE("poll delivers at most what was asked for, and counts it as consumed") {
  Channel channel;
  Inbox inbox;
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
  REQUIRE(channel.receiver->poll(inbox, 0) == 0);
  REQUIRE(free_places(channel) == 0);
  REQUIRE(channel.receiver->poll(inbox, 1) == 1);
  REQUIRE(free_places(channel) == 1);
  REQUIRE(channel.receiver->poll(inbox, kAll) == channel.spec.ring_slots - 1);
  REQUIRE(free_places(channel) == channel.spec.ring_slots);
}

TEST_CASE("a packet that the sink refuses comes again and keeps its place") {
  Channel channel;
  Inbox inbox;
  inbox.capacity = 0;
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) REQUIRE(send(*channel.sender, token(n)));
  for (std::uint64_t n = 0; n < channel.spec.ring_slots; ++n) {
    REQUIRE(channel.receiver->poll(inbox, kAll) == 0);
    REQUIRE(free_places(channel) == n);
    ++inbox.capacity;
    REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
    REQUIRE(inbox.packets.back().instance == n);
  }
}

TEST_CASE("sealed headers are written as they are, and only in sequence") {
  Channel channel;
  Inbox inbox;
  for (std::uint64_t n = 0; n < 2 * channel.spec.ring_slots; ++n) {
    ActivationPacket packet = full_header(n);
    packet.sequence = static_cast<std::uint32_t>(n + 2);
    seal(packet);
    REQUIRE(channel.sender->reserve() == Push::kOk);
    const Status early = channel.sender->commit_sealed(packet);
    REQUIRE(early.code() == Code::kDataLoss);
    REQUIRE(early.message().find("expected " + std::to_string(n + 1)) != std::string::npos);
    REQUIRE(channel.receiver->poll(inbox, kAll) == 0);
    packet.sequence = static_cast<std::uint32_t>(n + 1);
    seal(packet);
    REQUIRE(channel.sender->commit_sealed(packet).ok());
    REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
    REQUIRE(same(inbox.packets.back(), packet));
  }
}

TEST_CASE("a header that is passed on from another channel gets this one's sequence and CRC") {
  Channel channel;
  Inbox inbox;
  ActivationPacket packet = full_header(5);
  packet.sequence = 4711;
  seal(packet);
  REQUIRE(send(*channel.sender, packet));
  REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
  REQUIRE(inbox.packets.back().sequence == 1);
  REQUIRE(check(inbox.packets.back()) == Rejection::kNone);
  REQUIRE(((inbox.packets.back().flags & kHeaderCrc) != 0) == channel.spec.header_crc);
}

TEST_CASE("two runs follow each other") {
  for (int run = 0; run < 2; ++run) {
    Channel channel;
    Inbox inbox;
    for (std::uint64_t n = 0; n < 3 * channel.spec.ring_slots; ++n) {
      REQUIRE(send(*channel.sender, token(n)));
      REQUIRE(channel.receiver->poll(inbox, kAll) == 1);
      REQUIRE(inbox.packets.back().sequence == n + 1);
    }
    channel.sender.reset();
    REQUIRE(channel.receiver->closed());
  }
}

TEST_CASE("the bounds of a channel are checked") {
  const auto link = make_link();
  const AnyTransport transport = link->producer;
  const auto message_for = [&](ChannelSpec bad) {
    const Result<std::size_t> result = transport.channel_bytes(bad);
    REQUIRE(result.status().code() == Code::kInvalid);
    return result.status().message();
  };
  for (const std::uint32_t slots : {0U, 3U, 0x80000000U}) {
    ChannelSpec ring = spec(), returns = spec();
    ring.ring_slots = slots;
    returns.return_slots = slots;
    REQUIRE(message_for(ring).find("ring_slots") != std::string::npos);
    REQUIRE(message_for(returns).find("return_slots") != std::string::npos);
  }
  for (const std::uint32_t bytes : {1U, 63U, 100U, 0xffffffc0U}) {
    ChannelSpec bad = spec();
    bad.inline_bytes = bytes;
    REQUIRE(message_for(bad).find("inline_bytes") != std::string::npos);
  }
  const auto segment = need(transport.allocate("short", need(transport.channel_bytes(spec())) - 64));
  REQUIRE(transport.open_sender(spec(), segment, {}).status().code() == Code::kInvalid);
  REQUIRE(transport.open_receiver(spec(), segment, {}).status().code() == Code::kInvalid);
  REQUIRE(close_channel(transport, spec(), segment).code() == Code::kInvalid);
}

}  // namespace woa::cts
