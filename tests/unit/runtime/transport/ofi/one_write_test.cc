// A packet is one write, a payload crosses once, and its bytes arrive with it.
#include <algorithm>
#include <cstring>

#include "runtime/transport/any_transport.h"
#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/says.h"
#include "tests/unit/runtime/transport/ofi/block_sides.h"

namespace woa::test {
namespace {

bool filled(const std::byte* at, int value) {
  for (std::size_t k = 0; k < kBlockBytes; ++k)
    if (at[k] != static_cast<std::byte>(value)) return false;
  return true;
}

}  // namespace

TEST_CASE("one packet is one fi_writedata, with a payload, inline, or bare") {
  Producer producer;
  Consumer consumer(*producer.transport, producer.region);
  const OfiCounters before = producer.transport->counters();
  constexpr std::size_t kRounds = 50;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::uint32_t offset = producer.fill(static_cast<int>(round));
    consumer.send(token(round, offset, kBlockBytes));
    ActivationPacket bare = token(round, 0, 0);
    bare.kind = static_cast<std::uint8_t>(PacketKind::kRetire);
    consumer.send(bare);
    ActivationPacket poison = bare;
    poison.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
    poison.status = 1, poison.flags = kInline, poison.payload_bytes = 5;
    REQUIRE(consumer.sender->reserve() == Push::kOk);
    consumer.sender->commit(poison, std::as_bytes(std::span("wrong", 5)));
    REQUIRE(consumer.receive(3 * round + 3));
    REQUIRE(filled(consumer.payload(offset), static_cast<int>(round)));
    producer.pool.hold(offset, 1);
    REQUIRE(consumer.give_back(producer.pool, offset));
  }
  const OfiCounters after = producer.transport->counters();
  REQUIRE(after.writes - before.writes == 3 * kRounds);
  REQUIRE(after.gathered == before.gathered);
  REQUIRE(consumer.receiver->status().ok());
}

TEST_CASE("a block that the consumer still holds does not cross again, and does once it came back") {
  Producer producer;
  Consumer consumer(*producer.transport, producer.region);
  const std::uint32_t offset = producer.fill(7);
  consumer.send(token(1, offset, kBlockBytes));
  REQUIRE(consumer.receive(1));
  std::memset(consumer.payload(offset), 1, kBlockBytes);  // would be overwritten
  consumer.send(token(2, offset, kBlockBytes));           // the same block, for another edge
  REQUIRE(consumer.receive(2));
  REQUIRE(consumer.inbox.packets.back().offset == offset);
  REQUIRE(filled(consumer.payload(offset), 1));
  for (int edge = 0; edge < 2; ++edge) consumer.receiver->give_back({0, offset, 0, 0});
  consumer.receiver->wake();
  std::vector<BlockReturn> blocks(4);
  std::size_t back = 0;
  REQUIRE(within_patience([&] { return (back += consumer.sender->poll_returns(blocks)) == 2; }));
  consumer.send(token(3, offset, kBlockBytes));
  REQUIRE(consumer.receive(3));
  REQUIRE(filled(consumer.payload(offset), 7));
}

TEST_CASE("what others of a host map, too: arrivals show there, and a packet leaves the room before its block alone") {
  ShmTransport site;
  const auto here = need(site.allocate("here", kBlocks * (kBlockBytes + 64)));
  const auto there = need(site.allocate("there", kBlocks * (kBlockBytes + 64)));
  const auto map = [&](const std::shared_ptr<SharedSegment>& segment) {
    return need(segment->map(Access::kReadWrite));
  };
  const auto seen_here = map(here), seen_there = map(there);
  Producer producer(map(here));
  Consumer consumer(*producer.transport, producer.region, map(there));
  const std::uint32_t offset = producer.fill(5);
  std::byte* const room = seen_here->bytes().data() + offset * kOffsetUnitBytes - 64;
  std::memset(room, 0x77, 64);  // another process's header
  const OfiCounters before = producer.transport->counters();
  consumer.send(token(1, offset, kBlockBytes));
  REQUIRE(consumer.receive(1));
  REQUIRE(consumer.receiver->status().ok());
  REQUIRE(filled(seen_there->bytes().data() + offset * kOffsetUnitBytes, 5));
  REQUIRE(std::all_of(room, room + 64, [](std::byte byte) { return byte == std::byte{0x77}; }));
  REQUIRE(producer.transport->counters().gathered - before.gathered == 1);
}

TEST_CASE("one block goes to several consumers, each with a header of its own") {
  Producer producer;
  Consumer one(*producer.transport, producer.region), two(*producer.transport, producer.region);
  const OfiCounters before = producer.transport->counters();
  const std::uint32_t offset = producer.fill(9);
  one.send(token(1, offset, kBlockBytes));
  two.send(token(2, offset, kBlockBytes));
  for (Consumer* consumer : {&one, &two}) {
    REQUIRE(consumer->receive(1));
    REQUIRE(consumer->inbox.packets.front().instance == (consumer == &one ? 1 : 2));
    REQUIRE(filled(consumer->payload(offset), 9));
  }
  const OfiCounters after = producer.transport->counters();
  REQUIRE(after.writes + after.gathered == before.writes + before.gathered + 2);
}

TEST_CASE("one block goes out over two providers, from one memory") {
  const OfiOptions udp{.provider = "udp;ofi_rxd"};
  Producer producer;
  const auto second = ofi_or_skip(udp);
  const auto adopted = replica(*second, need(producer.region->map(Access::kReadWrite)), 0);
  Consumer one(*producer.transport, producer.region), two(*second, adopted, nullptr, udp);
  for (int round = 0; round < 20; ++round) {
    const std::uint32_t offset = producer.fill(round);
    const std::uint64_t by_first = producer.transport->packets(), by_second = second->packets();
    one.send(token(1, offset, kBlockBytes));
    two.send(token(2, offset, kBlockBytes));
    REQUIRE(producer.transport->packets() - by_first == 1);
    REQUIRE(second->packets() - by_second == 1);
    producer.pool.hold(offset, 2);
    for (Consumer* consumer : {&one, &two}) {
      REQUIRE(consumer->receive(static_cast<std::size_t>(round) + 1));
      REQUIRE(consumer->inbox.packets.back().instance == (consumer == &one ? 1 : 2));
      REQUIRE(filled(consumer->payload(offset), round));
      REQUIRE(consumer->give_back(producer.pool, offset));
    }
    REQUIRE((one.receiver->status().ok() && two.receiver->status().ok()));
  }
}

TEST_CASE("a replica is not connected to one of another provider") {
  const auto tcp = ofi_or_skip(), udp = ofi_or_skip({.provider = "udp;ofi_rxd"});
  const auto here = need(tcp->allocate("here", 4096)), there = need(udp->allocate("there", 4096));
  REQUIRE(says(tcp->connect(here, there->description(), {}), Code::kInvalid, "name the same one on both"));
  REQUIRE(says(udp->connect(here, there->description(), {}), Code::kInvalid, "another transport"));
}

TEST_CASE("what cannot be connected or opened says why") {
  const auto transport = ofi_or_skip(), other = ofi_or_skip();
  const std::size_t bytes = need(transport->channel_bytes(kSpec));
  const auto here = need(transport->allocate("here", bytes)), there = need(other->allocate("there", bytes));
  REQUIRE(says(transport->open_sender(kSpec, here, {}, {}).status(), Code::kInvalid, "connected to 0"));
  REQUIRE(says(transport->connect(here, "nonsense", {}), Code::kInvalid, "8 bytes, expected"));
  REQUIRE(
      says(transport->connect(here, need(other->allocate("short", 64))->description(), {}), Code::kInvalid, "replica"));
  REQUIRE(says(transport->connect(there, here->description(), {}), Code::kInvalid, "another transport"));
  REQUIRE(transport->connect(here, there->description(), {}).ok());
  REQUIRE(says(transport->connect(here, there->description(), {}), Code::kInvalid, "already"));
  ShmTransport shared;
  const auto not_here = need(shared.allocate("shared", bytes));
  REQUIRE(
      says(AnyTransport(*transport).open_sender(kSpec, not_here, {}).status(), Code::kInvalid, "another transport"));
  const auto region = need(transport->allocate("region", kBlocks * (kBlockBytes + 64)));
  std::vector<ChannelRegion> regions{{3, kBlocks, kBlockBytes, region}};
  REQUIRE(says(transport->open_sender(kSpec, here, {}, regions).status(), Code::kInvalid, "region 3 is not connected"));
  regions = {{3, kBlocks + 1, kBlockBytes, region}};
  REQUIRE(says(transport->open_sender(kSpec, here, {}, regions).status(), Code::kInvalid, "blocks"));
  REQUIRE(says(make_ofi_transport({.provider = "no such provider"}).status(), Code::kUnavailable, "'tcp;ofi_rxm'"));
  REQUIRE(says(make_ofi_transport({.interface = "no-such-interface"}).status(), Code::kInvalid, "available: lo"));
}

}  // namespace woa::test
