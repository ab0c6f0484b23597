// A controller does not trust its peers: an impossible packet or return ends the run with an error that names the peer,
// and touches nothing but the controller's own records.
#include <array>

#include "runtime/transport/ring_layout.h"
#include "tests/support/functions.h"
#include "tests/support/peer_rig.h"
#include "tests/support/plan_builder.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kEdge = 1;

// source -> a (cpu:0, played by the test) -> b (cpu:1, the real one) -> sink
Plan three_in_a_row(std::uint32_t inline_bytes) {
  PlanBuilder builder(1, 1);
  const auto a = builder.stage("a", "copy", "cpu:0"), b = builder.stage("b", "copy", "cpu:1");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(b, 0, kSinkStage, 0);
  for (EdgePlan& edge : builder.raw().edges) edge.inline_bytes = inline_bytes;
  return builder.build();
}

struct Rig : PeerRig {
  explicit Rig(std::uint32_t inline_bytes = kDefaultInlineBytes)
      : PeerRig(three_in_a_row(inline_bytes), function_factory(functions())) {}

  ActivationPacket token(std::uint64_t instance, std::uint64_t tag = 0) const {
    return PeerRig::token(kEdge, instance, tag);
  }
  void send(const ActivationPacket& packet, std::span<const std::byte> inline_payload = {}) const {
    push(channel_of(kEdge), packet, inline_payload);
  }
  Receiver& to_host() const {
    return *host.wiring.receivers[layout.edges[layout.out_edges[plan.edges[kEdge].to_stage][0].front()].channel];
  }
  // token() with `bytes` of payload behind its header.
  ActivationPacket inline_token(std::uint64_t instance, std::uint64_t bytes) const {
    ActivationPacket packet = token(instance);
    packet.flags = static_cast<std::uint8_t>(kInline);
    packet.device = 0;
    packet.payload_bytes = bytes;
    return packet;
  }
  void must_refuse(const ActivationPacket& packet, std::span<const std::byte> inline_payload = {}) {
    send(packet, inline_payload);
    const Status& status = settle();
    INFO(status.message());
    REQUIRE(status.code() == Code::kDataLoss);
    REQUIRE(status.message().find("cpu:0") != std::string::npos);
    REQUIRE_FALSE(hosted->controller().ended());
  }
};

}  // namespace

TEST_CASE("what a good peer sends is taken") {
  Rig rig;
  for (std::uint64_t i = 0; i < 3; ++i) {
    ActivationPacket packet = rig.token(i);
    packet.offset = static_cast<std::uint32_t>(i * rig.layout.regions[packet.region].block_bytes / kOffsetUnitBytes);
    rig.send(packet);
  }
  REQUIRE(rig.settle().ok());
  REQUIRE(rig.hosted->controller().stats().stages[3].firings == 3);
}

TEST_CASE("only the host's control channel retires instances and ends runs, and carries nothing else") {
  for (const PacketKind kind : {PacketKind::kRetire, PacketKind::kEnd}) {
    Rig rig;
    rig.must_refuse(Rig::control(kind, 1));
  }
  Rig misled;
  Rig::push(misled.control_channel(), misled.token(0));
  REQUIRE(misled.settle().code() == Code::kDataLoss);
  Rig rig;
  rig.tell(PacketKind::kRetire, 1);
  rig.tell(PacketKind::kEnd, 0);
  REQUIRE(rig.settle().ok());
  REQUIRE(rig.hosted->controller().ended());
}

TEST_CASE("an instance out of all bounds is refused, and does not retire the others") {
  for (const std::uint64_t instance : {std::uint64_t{1} << 40, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    Rig rig;
    rig.must_refuse(rig.token(instance));
  }
}

TEST_CASE("a packet that fits no edge, or names no block, is refused") {
  const auto changed = [](const Rig& rig, auto change) {
    ActivationPacket packet = rig.token(0);
    change(packet);
    return packet;
  };
  const auto refuse = [&](auto change) {
    Rig rig;
    rig.must_refuse(changed(rig, change));
  };
  refuse([](ActivationPacket& p) { p.stage = 2; });
  refuse([](ActivationPacket& p) { p.stage = 9; });
  refuse([](ActivationPacket& p) { p.port = 1; });
  refuse([](ActivationPacket& p) { p.region = 9; });
  refuse([](ActivationPacket& p) { p.region = static_cast<std::uint16_t>(p.region + 1); });
  refuse([](ActivationPacket& p) { p.offset = 1; });
  refuse([](ActivationPacket& p) { p.offset = 0xffffffff; });
  refuse([](ActivationPacket& p) { p.payload_bytes = 1 << 20; });
  refuse(
      [](ActivationPacket& p) { p.kind = static_cast<std::uint8_t>(PacketKind::kCount), p.device = 0, p.region = 0; });
}

TEST_CASE("a token may bring up to its edge's limit behind its header") {
  const std::array<std::byte, 1024> bytes{};
  for (const std::uint32_t limit : {1U, 64U, 200U, 1024U}) {
    Rig rig(limit);
    rig.send(rig.inline_token(0, 1), bytes);
    rig.send(rig.inline_token(1, limit), bytes);
    REQUIRE(rig.settle().ok());
    REQUIRE(rig.hosted->controller().stats().stages[3].firings == 2);
    rig.send(rig.token(2));  // the blocks of the others came back: no credit is lost
    REQUIRE(rig.settle().ok());
    std::array<BlockReturn, 8> returns{};
    REQUIRE(rig.channel_of(kEdge).poll_returns(returns) == 3);
  }
}

TEST_CASE("a token leaves with its payload behind its header up to the edge's limit, and not beyond") {
  // Collects the packets for the sink of `b`.
  class Mail final : public PacketSink {
   public:
    bool on_packet(const ActivationPacket& packet, std::span<const std::byte> inline_payload) noexcept override {
      header = packet;
      payload.assign(inline_payload.begin(), inline_payload.end());
      return true;
    }
    ActivationPacket header;
    std::vector<std::byte> payload;
  };
  for (const std::uint32_t limit : {0U, 1U, 64U, 200U, 1024U}) {
    for (const std::uint32_t bytes : {1U, limit, limit + 1}) {
      if (bytes == 0 || bytes > 1024) continue;
      Rig rig(limit);
      ActivationPacket packet = rig.token(0);
      packet.payload_bytes = bytes;
      const std::span<std::byte> block = rig.peer.wiring.regions[packet.region].first(bytes);
      std::fill(block.begin(), block.end(), std::byte{7});
      rig.send(packet);
      REQUIRE(rig.settle().ok());
      Mail mail;
      REQUIRE(rig.to_host().poll(mail, 1) == 1);
      INFO(limit << ", " << bytes);
      REQUIRE(mail.header.payload_bytes == bytes);
      REQUIRE(((mail.header.flags & kInline) != 0) == (bytes <= limit));
      REQUIRE(mail.payload == std::vector<std::byte>(bytes <= limit ? bytes : 0, std::byte{7}));
    }
  }
}

TEST_CASE(
    "a token with more behind its header, or with a block that is none, or absent where a value is needed, is "
    "refused") {
  const std::array<std::byte, kPoisonMessageBytes> bytes{};
  for (const std::uint64_t too_many : {65, 192}) {
    Rig rig;
    rig.must_refuse(rig.inline_token(0, too_many), bytes);
  }
  Rig none(0), few(100);
  none.must_refuse(none.inline_token(0, 1), bytes);
  few.must_refuse(few.inline_token(0, 101), bytes);
  Rig misplaced, absent;
  ActivationPacket packet = misplaced.inline_token(0, 8);
  packet.offset = 0xffffffff;
  misplaced.must_refuse(packet, bytes);
  packet = absent.token(0);
  packet.flags = static_cast<std::uint8_t>(kAbsent);
  packet.device = 0;
  packet.payload_bytes = 0;
  absent.must_refuse(packet);
}

TEST_CASE("nothing that follows a packet that cannot be true is believed") {
  Rig rig;
  ActivationPacket bad = rig.token(0);
  bad.port = 1;
  rig.send(bad);
  rig.send(rig.token(0));
  REQUIRE(rig.settle().code() == Code::kDataLoss);
  REQUIRE(rig.hosted->controller().stats().stages[3].firings == 0);
}

TEST_CASE("more tokens than blocks are refused") {
  Rig rig;
  // Each has a tag of its own, so none is a repetition. The sink never gives a block back, so they pile up.
  bool refused = false;
  for (std::uint64_t tag = 0; tag < 64 && !refused; ++tag) {
    rig.send(rig.token(0, tag));
    refused = !rig.settle().ok();
  }
  REQUIRE(refused);
  REQUIRE(rig.settle().code() == Code::kDataLoss);
  REQUIRE(rig.settle().message().find("more tokens than blocks") != std::string::npos);
}

TEST_CASE("a second token for a firing that has been is an error of its instance") {
  Rig rig;
  rig.send(rig.token(0));
  REQUIRE(rig.settle().ok());
  rig.send(rig.token(0));
  REQUIRE(rig.settle().ok());
  REQUIRE(rig.hosted->controller().stats().stages[3].firings == 1);
}

TEST_CASE("a block given back twice is refused with the peer's name") {
  Rig rig;
  rig.send(rig.token(0));
  REQUIRE(rig.settle().ok());
  const auto out = static_cast<std::uint32_t>(rig.layout.out_edges[3][0].front());
  const BlockReturn block{out, 0, rig.layout.edges[out].regions.front(), 0};
  for (int k = 0; k < 2; ++k) rig.to_host().give_back(block);
  const Status& status = rig.settle();
  REQUIRE(status.code() == Code::kDataLoss);
  REQUIRE(status.message().find("controller 'host'") != std::string::npos);
}

TEST_CASE("a return out of turn ends the run with the peer's name") {
  Rig rig;
  rig.send(rig.token(0));
  REQUIRE(rig.settle().ok());
  for (std::size_t c = 0; c < rig.layout.channels.size(); ++c) {
    if (rig.layout.channels[c].from != kUnderTest || rig.layout.channels[c].to != kHostController) continue;
    const auto memory = need(rig.segments.channels[c]->map(Access::kReadWrite));
    ChannelView(rig.layout.channels[c].spec, memory->bytes()).returns[0].mark = 7;
  }
  const Status& status = rig.settle();
  INFO(status.message());
  REQUIRE(status.code() == Code::kDataLoss);
  REQUIRE(status.message().find("channel to 'host'") != std::string::npos);
  REQUIRE(status.message().find("turn 1 expected, 7 found") != std::string::npos);
}

}  // namespace woa::test
