// A peer that writes nonsense where it may write: never a crash, never a packet believed that was not sent, and always
// a reason.
#include <cstring>
#include <random>

#include "runtime/memory/pages.h"
#include "runtime/transport/ofi/description.h"
#include "runtime/transport/ofi/receiver.h"
#include "runtime/transport/ofi/segment.h"
#include "tests/unit/runtime/transport/ofi/two_sides.h"

namespace woa::test {
namespace {

using ofi::CreditLine;
using ofi::Immediate;
using ofi::StateLine;

constexpr ChannelSpec kAttacked{.ring_slots = 8, .return_slots = 4, .inline_bytes = 64, .header_crc = false};
constexpr std::uint32_t kAttackedBlocks = 4;
constexpr std::uint64_t kAttackedBytes = 256;

// A channel with an honest end, and a peer that writes whatever the test wants.
struct Bad {
  Bad()
      : map(need(ofi::ChannelMap::make(kAttacked))),
        wire(std::make_shared<ofi::ServedFabric>("tcp;ofi_rxm", need(ofi::open_fabric("tcp;ofi_rxm", "127.0.0.1")),
                                                 ofi::KeepAlive{})) {
    channel = need(transport->allocate("channel", map.bytes()));
    region = need(transport->allocate("region", kAttackedBlocks * (kAttackedBytes + 64)));
    peer_channel = make_segment(channel->bytes());
    peer_region = make_segment(region->bytes());
    REQUIRE(transport->connect(channel, peer_channel->description(), {}).ok());
    REQUIRE(transport->connect(region, peer_region->description(), {}).ok());
    victim = need(ofi::SegmentDescription::decode(channel->description()));
    victim_region = need(ofi::SegmentDescription::decode(region->description()));
    address = need(wire->fabric.insert(victim.address));
    operation = wire->fabric.make_operations(peer_channel->number(), 1);
    regions = {{0, kAttackedBlocks, kAttackedBytes, region}};
  }
  // Ends properly: the victim need not wait for what may still come.
  ~Bad() { write(StateLine{.closed = 1}, victim, ofi::ChannelMap::kPeerState, ofi::kStatePlace, 0); }

  std::shared_ptr<ofi::OfiSegment> make_segment(std::size_t bytes) const {
    return need(ofi::OfiSegment::make(wire, need(map_pages(-1, bytes, Access::kReadWrite)), false));
  }
  std::unique_ptr<Receiver> receiver() { return need(transport->open_receiver(kAttacked, channel, {}, regions)); }
  std::unique_ptr<Sender> sender() { return need(transport->open_sender(kAttacked, channel, {}, regions)); }

  // Writes `line` into a segment of the victim.
  template <class Line>
  void write(const Line& line, const ofi::SegmentDescription& to, std::size_t at, std::uint32_t place,
             std::uint32_t sequence) {
    std::memcpy(peer_region->memory().data(), &line, sizeof line);  // where the victim writes nothing
    const ofi::Target target{address, to.base + at, to.key, {place, victim.segment, sequence}};
    REQUIRE(within_patience([&] {
      return wire->fabric.write_line(peer_region->piece(0, sizeof line), target, *operation) == ofi::Post::kPosted;
    }));
  }
  // Writes a packet where an honest peer would put number `sequence`.
  void packet(const ActivationPacket& header, std::uint32_t sequence) {
    const std::uint32_t slot = (sequence - 1) % kAttacked.ring_slots;
    write(header, victim, map.slot_at(slot), 1 + slot, sequence);
  }
  static ActivationPacket good(std::uint32_t sequence) {
    ActivationPacket header = token(sequence, 1, 0);
    header.sequence = sequence;
    return header;
  }

  std::unique_ptr<OfiTransport> transport = ofi_or_skip();
  ofi::ChannelMap map;
  std::shared_ptr<ofi::ServedFabric> wire;
  std::shared_ptr<Replica> channel, region;
  std::shared_ptr<ofi::OfiSegment> peer_channel, peer_region;
  ofi::SegmentDescription victim, victim_region;
  fi_addr_t address{};
  ofi::Operation* operation = nullptr;
  std::vector<ChannelRegion> regions;
  Inbox inbox;
};

// Polls until the receiver reports a loss; returns the reason.
std::string loss(Bad& bad, Receiver& receiver) {
  REQUIRE(within_patience([&] {
    receiver.poll(bad.inbox, 64);
    return !receiver.status().ok();
  }));
  REQUIRE(receiver.status().code() == Code::kDataLoss);
  REQUIRE_FALSE(receiver.closed());
  REQUIRE(receiver.poll(bad.inbox, 64) == 0);
  INFO(receiver.status().message());
  return receiver.status().message();
}

std::string loss(Bad&, Sender& sender) {
  REQUIRE(within_patience([&] {
    sender.poll_returns({});
    return is_closed(sender);
  }));
  REQUIRE(sender.status().code() == Code::kDataLoss);
  REQUIRE(sender.reserve() == Push::kClosed);
  return sender.status().message();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("what an honest peer writes is believed") {
  Bad bad;
  const auto receiver = bad.receiver();
  for (std::uint32_t sequence = 1; sequence <= 20; ++sequence) {
    bad.packet(Bad::good(sequence), sequence);
    REQUIRE(within_patience([&] { return receiver->poll(bad.inbox, 64) == 1; }));
  }
  REQUIRE(receiver->status().ok());
  REQUIRE(bad.inbox.packets.back().instance == 20);
}

TEST_CASE("an immediate that names no place of the channel closes it") {
  for (const std::uint32_t place : {kAttacked.ring_slots + kAttackedBlocks + 1, 1000U, ofi::kPlaces - 1}) {
    Bad bad;
    const auto receiver = bad.receiver();
    bad.write(Bad::good(1), bad.victim, bad.map.slot_at(0), place, 1);
    REQUIRE(has(loss(bad, *receiver), "names place " + std::to_string(place)));
    REQUIRE(bad.inbox.packets.empty());
  }
}

TEST_CASE("an immediate for no segment is counted and harms nobody") {
  Bad bad;
  const auto receiver = bad.receiver();
  const std::uint32_t right = bad.victim.segment;
  bad.victim.segment = 4000;
  bad.packet(Bad::good(1), 1);
  REQUIRE(within_patience([&] {
    receiver->poll(bad.inbox, 64);
    return bad.transport->counters().strays == 1;
  }));
  bad.victim.segment = right;
  bad.packet(Bad::good(1), 1);
  REQUIRE(within_patience([&] { return receiver->poll(bad.inbox, 64) == 1; }));
  REQUIRE(receiver->status().ok());
}

TEST_CASE("a header that is none is rejected by name") {
  Bad bad;
  const auto receiver = bad.receiver();
  ActivationPacket header = Bad::good(1);
  header.magic = 0x1234;
  bad.packet(header, 1);
  REQUIRE(has(loss(bad, *receiver), "rejected: magic"));
}

TEST_CASE("sequences that cannot be are lost or repeated packets") {
  struct Case {
    std::uint32_t in_header, in_immediate, before;
  };
  // Ahead of the ring, behind it, and one that the immediate contradicts.
  for (const Case& one : {Case{10, 10, 0}, Case{1, 1, 2}, Case{2, 1, 0}, Case{0xffffffff, 0xffffffff, 0}}) {
    Bad bad;
    const auto receiver = bad.receiver();
    for (std::uint32_t sequence = 1; sequence <= one.before; ++sequence) bad.packet(Bad::good(sequence), sequence);
    const bool came = within_patience([&] {
      receiver->poll(bad.inbox, 64);
      return bad.inbox.packets.size() == one.before;
    });
    INFO(receiver->status().message());
    REQUIRE(came);
    bad.packet(Bad::good(one.in_header), one.in_immediate);
    REQUIRE(has(loss(bad, *receiver), "lost or repeated"));
    REQUIRE(bad.inbox.packets.size() == one.before);
  }
}

TEST_CASE("a packet that lies where its header does not belong is rejected") {
  Bad bad;
  const auto receiver = bad.receiver();
  SECTION("another slot") { bad.write(Bad::good(2), bad.victim, bad.map.slot_at(0), 1, 2); }
  SECTION("a block that it does not name") {
    bad.write(Bad::good(1), bad.victim_region, kAttackedBytes + 64, 1 + kAttacked.ring_slots + 1, 1);
  }
  SECTION("a block smaller than its payload") {
    ActivationPacket header = token(1, 1, kAttackedBytes + 1);
    header.sequence = 1;
    bad.write(header, bad.victim_region, 0, 1 + kAttacked.ring_slots, 1);
  }
  SECTION("a block, with inline payload") {
    ActivationPacket header = Bad::good(1);
    header.flags = kInline, header.payload_bytes = 8;
    bad.write(header, bad.victim_region, 0, 1 + kAttacked.ring_slots, 1);
  }
  const std::string why = loss(bad, *receiver);
  INFO(why);
  REQUIRE(has(why, "does not belong"));
}

TEST_CASE("inline payload beyond the limit, and more packets than places, are rejected") {
  Bad bad;
  const auto receiver = bad.receiver();
  SECTION("inline payload") {
    ActivationPacket header = Bad::good(1);
    header.flags = kInline, header.payload_bytes = kAttacked.inline_bytes + 1;
    bad.packet(header, 1);
    REQUIRE(has(loss(bad, *receiver), "inline payload"));
  }
  SECTION("packets") {
    for (std::uint32_t n = 0; n < 4 * kAttacked.ring_slots; ++n) bad.packet(Bad::good(1), 1);
    REQUIRE(has(loss(bad, *receiver), "packet"));
    REQUIRE(bad.inbox.packets.size() <= 1);
  }
}

TEST_CASE("the loss of the last packet shows by the keep-alive that counts it") {
  Bad bad;
  const auto receiver = bad.receiver();
  bad.packet(Bad::good(1), 1);
  StateLine state;
  state.next_sequence = 3;
  bad.write(state, bad.victim, ofi::ChannelMap::kPeerState, ofi::kStatePlace, 3);
  REQUIRE(has(loss(bad, *receiver), "sequence 2 expected, but the producer is at 3"));
  REQUIRE(bad.inbox.packets.size() == 1);
}

TEST_CASE("a peer that was heard of and falls silent is lost") {
  Bad bad;
  const auto receiver = bad.receiver();
  bad.write(StateLine{.next_sequence = 1}, bad.victim, ofi::ChannelMap::kPeerState, ofi::kStatePlace, 1);
  REQUIRE(within_patience([&] {
    receiver->poll(bad.inbox, 64);
    return !receiver->status().ok();
  }));
  REQUIRE(receiver->status().code() == Code::kPeerLost);
}

TEST_CASE("a keep-alive that is none closes the channel") {
  Bad bad;
  StateLine state;
  state.magic = 1;
  const auto write = [&] { bad.write(state, bad.victim, ofi::ChannelMap::kPeerState, ofi::kStatePlace, 1); };
  SECTION("at the receiver") {
    const auto receiver = bad.receiver();
    write();
    REQUIRE(has(loss(bad, *receiver), "keep-alive"));
  }
  SECTION("at the sender") {
    const auto sender = bad.sender();
    write();
    REQUIRE(has(loss(bad, *sender), "keep-alive"));
  }
}

TEST_CASE("a credit line that cannot be true closes the channel") {
  Bad bad;
  const auto sender = bad.sender();
  for (std::uint64_t n = 0; n < 2; ++n) {
    REQUIRE(sender->reserve() == Push::kOk);
    sender->commit(token(n, 1, 0));
  }
  CreditLine line;
  line.sequence = 1, line.consumed = 1;
  const auto write = [&](std::uint32_t place) {
    bad.write(line, bad.victim, bad.map.line_at(0), place, line.sequence);
    return loss(bad, *sender);
  };
  SECTION("no such place") { REQUIRE(has(write(1 + bad.map.lines()), "names no free place")); }
  SECTION("no credit line") {
    line.magic = 3;
    REQUIRE(has(write(1), "none, or damaged"));
  }
  SECTION("more returns than fit") {
    line.return_count = 4;
    REQUIRE(has(write(1), "none, or damaged"));
  }
  SECTION("another sequence") {
    line.sequence = 7;
    REQUIRE(has(write(1), "another sequence"));
  }
  SECTION("packets that were never sent") {
    line.consumed = 3;
    REQUIRE(has(write(1), "never sent"));
  }
}

TEST_CASE("no writes of a peer crash an end") {
  constexpr int kRounds = 16;  // each opens two fabrics, which takes most of the time
  std::mt19937_64 random(11);
  int lost = 0;
  for (int round = 0; round < kRounds; ++round) {
    Bad bad;
    const bool producing = round % 2 == 0;
    const auto receiver = producing ? nullptr : bad.receiver();
    const auto sender = producing ? bad.sender() : nullptr;
    for (int step = 0; step < 30; ++step) {
      std::array<std::uint64_t, 8> noise;
      for (auto& word : noise) word = random();
      if (random() % 2 == 0) std::memcpy(noise.data(), "WA\1\1", 4);
      const bool in_region = random() % 4 == 0;
      const auto& to = in_region ? bad.victim_region : bad.victim;
      bad.write(noise, to, random() % (to.bytes - 64), static_cast<std::uint32_t>(random() % 40),
                static_cast<std::uint32_t>(random() % 20));
      if (receiver) receiver->poll(bad.inbox, 2);
      if (sender) sender->poll_returns({});
    }
    within_patience([&] {
      if (receiver) receiver->poll(bad.inbox, 64);
      if (sender) sender->poll_returns({});
      return !(receiver ? receiver->status() : sender->status()).ok();
    });
    lost += (receiver ? receiver->status() : sender->status()).ok() ? 0 : 1;
  }
  REQUIRE(lost == kRounds);
}

}  // namespace woa::test
