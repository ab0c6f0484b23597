// A relay with several readers: its writer gets the block back once, when the last reader has given it back.
#include <vector>

#include "tests/support/functions.h"
#include "tests/support/inbox.h"
#include "tests/support/peer_rig.h"
#include "tests/support/plan_builder.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kToRelay = 1, kToOwn = 2, kToPeer = 3, kToHost = 4;  // edges

// `a` on cpu:0, played by the test, writes for a relay on cpu:1, which passes on to a stage there, to one on cpu:0 and
// to the sink.
Plan relayed() {
  PlanBuilder builder(1, 3);
  const auto a = builder.stage("a", "copy", "cpu:0"), relay = builder.stage("relay", "", "cpu:1"),
             own = builder.stage("own", "copy", "cpu:1"), peer = builder.stage("peer", "copy", "cpu:0");
  builder.raw().stages[relay].role = StageRole::kRelay;
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, relay, 0);
  builder.edge(relay, 0, own, 0);
  builder.edge(relay, 0, peer, 0).keep = 0;
  builder.edge(relay, 0, kSinkStage, 0);
  builder.edge(own, 0, kSinkStage, 1);
  builder.edge(peer, 0, kSinkStage, 2);
  return builder.build();
}

struct Passing {
  PeerRig rig{relayed(), function_factory(functions())};

  Receiver& receiver(std::uint32_t edge) const {
    const std::uint32_t channel = rig.layout.edges[edge].channel;
    return *(edge == kToPeer ? rig.peer : rig.host).wiring.receivers[channel];
  }
  // Packets of one edge that came since the last time.
  std::vector<ActivationPacket> received(std::uint32_t edge) const {
    Inbox inbox;
    receiver(edge).poll(inbox, 100);
    std::erase_if(inbox.packets, [&](const ActivationPacket& packet) {
      return packet.stage != rig.plan.edges[edge].to_stage || packet.port != rig.plan.edges[edge].to_port;
    });
    return inbox.packets;
  }
  Status give_back(std::uint32_t edge, const ActivationPacket& packet) const {
    receiver(edge).give_back({edge, packet.offset, packet.region, static_cast<std::uint16_t>(packet.instance)});
    return rig.settle();
  }
  std::vector<BlockReturn> returned() const {
    std::vector<BlockReturn> blocks(10);
    blocks.resize(rig.channel_of(kToRelay).poll_returns(blocks));
    return blocks;
  }
  ActivationPacket send(std::uint64_t instance, std::uint64_t tag = 0) const {
    const ActivationPacket token = rig.token(kToRelay, instance, tag);
    rig.push(rig.channel_of(kToRelay), token);
    REQUIRE(rig.settle().ok());
    return token;
  }
};

}  // namespace

TEST_CASE("a block goes back to its writer once, from the last of a relay's readers") {
  Passing world;
  const ActivationPacket sent = world.send(0, 5);
  REQUIRE(world.rig.hosted->controller().stats().stages[world.rig.plan.edges[kToOwn].to_stage].firings == 1);
  const auto at_peer = world.received(kToPeer), at_host = world.received(kToHost);
  REQUIRE(at_peer.size() == 1);
  REQUIRE(at_host.size() == 1);
  for (const ActivationPacket& packet : {at_peer[0], at_host[0]}) {
    REQUIRE(packet.region == sent.region);
    REQUIRE(packet.offset == sent.offset);
    REQUIRE(packet.payload_bytes == sent.payload_bytes);
  }
  REQUIRE(at_peer[0].tag == 0);  // as each edge keeps it
  REQUIRE(at_host[0].tag == 5);
  REQUIRE(world.returned().empty());
  REQUIRE(world.give_back(kToHost, at_host[0]).ok());
  REQUIRE(world.returned().empty());
  REQUIRE(world.give_back(kToPeer, at_peer[0]).ok());
  REQUIRE(world.returned() == std::vector<BlockReturn>{{kToRelay, sent.offset, sent.region, 0}});
}

TEST_CASE("blocks of several instances are told apart") {
  Passing world;
  const ActivationPacket first = world.send(0);
  ActivationPacket second = world.rig.token(kToRelay, 1);
  second.offset = 1024 / kOffsetUnitBytes;  // the next block
  world.rig.push(world.rig.channel_of(kToRelay), second);
  REQUIRE(world.rig.settle().ok());
  const auto at_peer = world.received(kToPeer), at_host = world.received(kToHost);
  REQUIRE(at_peer.size() == 2);
  REQUIRE(world.give_back(kToPeer, at_peer[1]).ok());
  REQUIRE(world.give_back(kToHost, at_host[0]).ok());
  REQUIRE(world.returned().empty());
  REQUIRE(world.give_back(kToHost, at_host[1]).ok());
  REQUIRE(world.returned() == std::vector<BlockReturn>{{kToRelay, second.offset, second.region, 1}});
  REQUIRE(world.give_back(kToPeer, at_peer[0]).ok());
  REQUIRE(world.returned() == std::vector<BlockReturn>{{kToRelay, first.offset, first.region, 0}});
}

TEST_CASE("poison passes a relay once to each reader, with its code and message") {
  Passing world;
  ActivationPacket poison = world.rig.token(kToRelay, 0);
  poison.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  poison.status = static_cast<std::uint8_t>(Code::kKernelFailed);
  poison.payload_bytes = poison.region = 0;
  poison.device = 0;
  world.rig.push(world.rig.channel_of(kToRelay), poison);
  REQUIRE(world.rig.settle().ok());
  for (const std::uint32_t edge : {kToPeer, kToHost}) {
    const auto packets = world.received(edge);
    REQUIRE(packets.size() == 1);
    REQUIRE(packets[0].kind == poison.kind);
    REQUIRE(packets[0].status == poison.status);
    REQUIRE(packets[0].origin == poison.origin);
  }
  // The reader beside the relay has passed it on, too, and fires for nothing that comes later.
  world.send(0);
  REQUIRE(world.returned().size() == 1);
  REQUIRE(world.received(kToPeer).empty());
  REQUIRE(world.rig.hosted->controller().stats().stages[world.rig.plan.edges[kToOwn].to_stage].firings == 0);
}

TEST_CASE("a token that comes to a relay past its deadline goes back, and its readers hear why") {
  Passing world;
  ActivationPacket late = world.rig.token(kToRelay, 0);
  late.deadline = 1;
  world.rig.push(world.rig.channel_of(kToRelay), late);
  REQUIRE(world.rig.settle().ok());
  REQUIRE(world.returned().size() == 1);
  for (const std::uint32_t edge : {kToPeer, kToHost}) {
    const auto packets = world.received(edge);
    REQUIRE(packets.size() == 1);
    REQUIRE(packets[0].kind == static_cast<std::uint8_t>(PacketKind::kPoison));
    REQUIRE(packets[0].status == static_cast<std::uint8_t>(Code::kDeadlineExceeded));
  }
}

TEST_CASE("a reader that gives back a block twice, or another than it was passed, ends the run and is named") {
  for (const bool twice : {true, false}) {
    Passing world;
    world.send(0);
    ActivationPacket block = world.received(kToPeer).front();
    if (twice)
      REQUIRE(world.give_back(kToPeer, block).ok());
    else
      block.offset += 1024 / kOffsetUnitBytes;
    const Status status = world.give_back(kToPeer, block);
    INFO(status.message());
    REQUIRE(status.code() == Code::kDataLoss);
    REQUIRE(status.message().find("cpu:0") != std::string::npos);
  }
}

}  // namespace woa::test
