// Firings through the RTL: results bit-exact, headers finished by the node.
#include "controllers/fpga/verilator/wact_driver.h"

#include "controllers/fpga/generated/wact_interface.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/chain_case.h"

namespace woa::test {
namespace {

// A node with one stage, whose result goes to the sink.
struct OneStage {
  FpgaPlan plan;
  std::uint32_t stage;
  WactModel model;
  WactDriver driver{model};
  std::uint32_t sequence = 0;

  OneStage(const std::string& core, const PortType& in, const PortType& out) : stage(plan.add_stage(core, in, out)) {
    plan.add_edge(stage, kSinkStage);
    REQUIRE(driver.load(plan.plan, plan.loaded).ok());
  }
  OneStage(const std::string& core, const PortType& type) : OneStage(core, type, type) {}

  // Runs the payload and checks result and header.
  void expect(const Bytes& in, const Bytes& out) {
    TestFiring shot(plan.plan, token(stage, in.size()), in, out.size() + 128);
    driver.run(shot.firing);
    INFO(shot.firing.message);
    REQUIRE(shot.firing.code == Code::kOk);
    REQUIRE(shot.firing.outputs[0].written);
    REQUIRE(shot.output() == out);
    REQUIRE(std::all_of(shot.block.begin() + static_cast<std::ptrdiff_t>(out.size()), shot.block.end(),
                        [](std::byte b) { return b == std::byte{0}; }));
    REQUIRE(same(shot.firing.routes[0].header,
                 expected(plan.plan, 0, shot.header, ++sequence, out.size(), TestFiring::landing(0))));
    REQUIRE(check(shot.firing.routes[0].header) == Rejection::kNone);
    REQUIRE(shot.firing.cycles > 0);
    REQUIRE(shot.firing.input_memory[0].copied_bytes == in.size());
    REQUIRE(shot.firing.output_memory[0].copied_bytes == out.size());
  }
  // Runs it and expects the node's own poison.
  void expect_fault(const Bytes& in, Code code, const std::string& message) {
    TestFiring shot(plan.plan, token(stage, in.size()), in, in.size() + 128);
    driver.run(shot.firing);
    REQUIRE(shot.firing.code == code);
    REQUIRE(shot.firing.message == message);
    REQUIRE(!shot.firing.outputs[0].written);
    REQUIRE(same(shot.firing.routes[0].header,
                 expected_poison(plan.plan, 0, shot.header, ++sequence, code, stage, message.size())));
    REQUIRE(check(shot.firing.routes[0].header) == Rejection::kNone);
  }
};

TEST_CASE("copy and invert are bit-exact at every length") {
  std::mt19937 random(1);
  OneStage copy("copy", port_type("bytes"));
  OneStage inverter("invert", port_type("bytes"));
  for (std::size_t bytes = 0; bytes <= 40; ++bytes) {
    const Bytes data = random_bytes(random, bytes);
    copy.expect(data, data);
    inverter.expect(data, invert(data));
  }
  const Bytes large = random_bytes(random, 1 << 20);
  inverter.expect(large, invert(large));
}

TEST_CASE("dimensions pass through the prefix, fixed or variable on either side") {
  std::mt19937 random(2);
  const Bytes data = random_bytes(random, 4 * 5 * 6);
  OneStage variable("invert", port_type("u8", {0, 0, 0, 0}));
  variable.expect(payload({4, 5, 2, 3}, data), payload({4, 5, 2, 3}, invert(data)));
  OneStage fixed("invert", port_type("u8", {4, 5, 6}));
  fixed.expect(data, invert(data));
  OneStage opens("invert", port_type("u8", {4, 0, 6}), port_type("u8", {0, 5, 0}));
  opens.expect(payload({5}, data), payload({4, 6}, invert(data)));
  OneStage floats("copy", port_type("f32", {0, 5}));
  floats.expect(payload({6}, data), payload({6}, data));
  OneStage empty("copy", port_type("f64", {0, 0}));
  empty.expect(payload({0, 9}, {}), payload({0, 9}, {}));
}

TEST_CASE("sharpen3x3 is bit-exact") {
  std::mt19937 random(3);
  OneStage node("sharpen3x3", port_type("u8", {0, 0, 0}, 4 << 20));
  const auto run = [&](std::uint32_t height, std::uint32_t width, std::uint32_t channels) {
    INFO(height << " x " << width << " x " << channels);
    const Bytes image = random_bytes(random, std::size_t{height} * width * channels);
    const Dims dims{height, width, channels};
    node.expect(payload(dims, image), payload(dims, sharpen(image, static_cast<int>(height), static_cast<int>(width),
                                                            static_cast<int>(channels))));
  };
  SECTION("small shapes") {
    for (std::uint32_t channels = 1; channels <= 4; ++channels) {
      for (std::uint32_t width = 1; width <= 12; ++width) {
        for (const std::uint32_t height : {1u, 2u, 3u, 9u}) run(height, width, channels);
      }
    }
  }
  SECTION("lines up to the line buffer") {
    run(1, 16384, 1);
    run(3, 16384, 1);
    run(3, 4096, 4);
    run(4, 5461, 3);
    run(5, 16383, 1);
    run(700, 1, 1);
    run(1, 1, 7);
    run(0, 5, 3);
    run(0, 40000, 9);  // no line to buffer
  }
  SECTION("random shapes") {
    for (int i = 0; i < 60; ++i) run(1 + below(random, 40), 1 + below(random, 90), 1 + below(random, 4));
  }
  SECTION("a saturated picture") {
    const Bytes image{0, 255, 0, 255, 0, 255, 0, 255, 0};
    node.expect(payload({3, 3, 1}, image), payload({3, 3, 1}, sharpen(image, 3, 3, 1)));
  }
}

TEST_CASE("what a kernel cannot do leaves as poison with the stage as its origin") {
  OneStage shape("invert", port_type("u8", {0, 0}, 1 << 20, 100));
  shape.expect_fault(payload({3, 4}, Bytes(13)), Code::kInvalid, kShapeText);
  shape.expect_fault(Bytes(63), Code::kInvalid, kShapeText);  // shorter than its prefix
  shape.expect_fault({}, Code::kInvalid, kShapeText);
  shape.expect_fault(payload({101, 1}, Bytes(101)), Code::kInvalid, kShapeText);  // beyond the dimension's bound
  shape.expect(payload({3, 4}, Bytes(12)), payload({3, 4}, Bytes(12, 255)));      // and the node goes on

  OneStage wraps("copy", port_type("u8", {0, 0, 0}));
  wraps.expect_fault(payload({65536, 65536, 65536}, {}), Code::kInvalid, kShapeText);  // 2^48 is not 0
  OneStage input_bound("copy", port_type("bytes", {}, 10), port_type("bytes"));
  input_bound.expect_fault(Bytes(11), Code::kInvalid, kShapeText);
  OneStage unbounded("copy", port_type("bytes", {}, 0), port_type("bytes"));
  unbounded.expect(Bytes(11), Bytes(11));
  OneStage narrow("copy", port_type("u8", {0}), port_type("u8", {0}, 1 << 20, 8));
  narrow.expect_fault(payload({9}, Bytes(9)), Code::kTooLarge, kOutputText);

  OneStage bound("copy", port_type("bytes"), port_type("bytes", {}, 10));
  bound.expect_fault(Bytes(11), Code::kTooLarge, kOutputText);
  bound.expect(Bytes(10), Bytes(10));
  OneStage extent("copy", port_type("u8", {0}), port_type("u8", {8}));
  extent.expect_fault(payload({9}, Bytes(9)), Code::kBrokenContract, "result lacks the output port's fixed dimensions");
  extent.expect(payload({8}, Bytes(8, 1)), Bytes(8, 1));

  OneStage line("sharpen3x3", port_type("u8", {0, 0, 0}));
  line.expect_fault(payload({1, 16385, 1}, Bytes(16385)), Code::kUnsupported,
                    "line longer than the core's line buffer");
  line.expect_fault(payload({1, 1, 8}, Bytes(8)), Code::kUnsupported, "shape not supported by the core");
  line.expect(payload({1, 1, 1}, {9}), payload({1, 1, 1}, {9}));
  REQUIRE(line.model.read(wact::kRegFaults) == 2);
  REQUIRE(line.model.read(wact::kRegAccepted) == 3);
}

TEST_CASE("every route gets its own header: tag, landing, and the sequence of its channel") {
  FpgaPlan plan;
  const std::uint32_t copy = plan.add_stage("copy", port_type("bytes"));
  const std::uint32_t next = plan.add_stage("invert", port_type("bytes"));
  const std::uint64_t keep = 0xffffffff0000ffffull, step = 0x0000000100010000ull;
  const std::uint32_t to_cpu = plan.add_edge(copy, 2, 3, keep, step);
  const std::uint32_t to_host = plan.add_edge(copy, kSinkStage, 1, 0, ~0ull);
  const std::uint32_t to_self = plan.add_edge(copy, next, 0);
  const std::uint32_t again = plan.add_edge(copy, 2, 4, ~0ull, 1);
  const std::uint32_t from_next = plan.add_edge(next, 2, 5);
  const std::uint32_t by_lane = plan.add_edge(copy, 2, 6);
  plan.plan.edges[by_lane].lane = "bulk";
  WactModel model;
  WactDriver driver(model);
  REQUIRE(driver.load(plan.plan, plan.loaded).ok());
  std::uint32_t cpu = 0, host = 0, self = 0, lane = 0;
  for (std::uint64_t turn = 0; turn < 5; ++turn) {
    const Bytes data(turn * 7, 1);
    TestFiring shot(plan.plan, token(copy, data.size(), turn, ~turn), data, 128);
    std::ranges::reverse(shot.firing.routes);  // the controller's order is its own
    driver.run(shot.firing);
    REQUIRE(shot.firing.code == Code::kOk);
    const auto header = [&](std::uint32_t e) {
      return std::ranges::find(shot.firing.routes, e, &FiringRoute::edge)->header;
    };
    const auto wanted = [&](std::uint32_t e, std::uint32_t sequence) {
      return expected(plan.plan, e, shot.header, sequence, data.size(), TestFiring::landing(e));
    };
    REQUIRE(same(header(to_cpu), wanted(to_cpu, ++cpu)));
    REQUIRE(same(header(to_host), wanted(to_host, ++host)));
    REQUIRE(same(header(to_self), wanted(to_self, ++self)));
    REQUIRE(same(header(again), wanted(again, ++cpu)));
    REQUIRE(same(header(by_lane), wanted(by_lane, ++lane)));
    TestFiring second(plan.plan, token(next, 0, turn), {}, 64);
    driver.run(second.firing);
    REQUIRE(same(second.firing.routes[0].header,
                 expected(plan.plan, from_next, second.header, ++cpu, 0, TestFiring::landing(from_next))));
  }
  REQUIRE(model.read(wact::kRegAccepted) == 10);
  REQUIRE(model.read(wact::kRegEmitted) == 30);
}

TEST_CASE("poison passes on every route with its origin, status and message, in sequence with the tokens") {
  FpgaPlan plan;
  const std::uint32_t stage = plan.add_stage("sharpen3x3", port_type("u8", {0, 0, 0}));
  plan.add_edge(stage, 2, 3, 0xff, 0x100);
  plan.add_edge(stage, kSinkStage, 1);
  WactModel model;
  WactDriver driver(model);
  REQUIRE(driver.load(plan.plan, plan.loaded).ok());
  std::uint32_t sequence = 0;
  for (const std::string text : {"", "x", "the cipher text is not authentic", "eight..."}) {
    TestFiring shot(plan.plan, poison(stage, Code::kUnauthentic, 42, text.size(), 11, 0x55),
                    Bytes(text.begin(), text.end()), 0);
    driver.run(shot.firing);
    ++sequence;
    REQUIRE(shot.firing.code == Code::kOk);
    REQUIRE(shot.firing.message == text);
    for (std::uint32_t e : {0u, 1u}) {
      REQUIRE(same(shot.firing.routes[e].header,
                   expected_poison(plan.plan, e, shot.header, sequence, Code::kUnauthentic, 42, text.size())));
    }
    TestFiring token_after(plan.plan, token(stage, 65), payload({1, 1, 1}, {200}), 128);
    driver.run(token_after.firing);
    REQUIRE(token_after.firing.routes[1].header.sequence == ++sequence);
    REQUIRE(token_after.output() == payload({1, 1, 1}, {200}));
  }
}

TEST_CASE("a poison request is addressed by the driver, whatever else its header holds") {
  OneStage node("copy", port_type("bytes"));
  ActivationPacket bare;  // as a controller makes it: status, origin, instance, length
  bare.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  bare.status = static_cast<std::uint8_t>(Code::kDeadlineExceeded);
  bare.origin = 9;
  bare.instance = 3;
  bare.payload_bytes = 4;
  bare.stage = node.stage;
  TestFiring shot(node.plan.plan, bare, {'l', 'a', 't', 'e'}, 0);
  shot.firing.poison_header.stage = 0;
  node.driver.run(shot.firing);
  REQUIRE(
      same(shot.firing.routes[0].header, expected_poison(node.plan.plan, 0, bare, 1, Code::kDeadlineExceeded, 9, 4)));
}

TEST_CASE("a packet that the node refuses fails the firing and leaves the next one alone") {
  OneStage node("copy", port_type("bytes"));
  TestFiring damaged(node.plan.plan, token(node.stage, 8), Bytes(8), 64);
  damaged.header.tag ^= 1;
  node.driver.run(damaged.firing);
  REQUIRE(damaged.firing.code == Code::kDataLoss);
  REQUIRE(damaged.firing.message.find(std::string(to_string(Rejection::kHeaderCrc))) != std::string::npos);
  TestFiring cut(node.plan.plan, token(node.stage, 80), Bytes(64), 128);
  node.driver.run(cut.firing);
  REQUIRE(cut.firing.code == Code::kDataLoss);
  REQUIRE(!cut.firing.outputs[0].written);
  node.expect(Bytes(9, 5), Bytes(9, 5));  // sequence 1: the refused ones took none
}

TEST_CASE("a stage of two inputs joins them, whichever is larger") {
  FpgaPlan plan;
  const std::uint32_t joins = plan.add_pair_stage("join2", port_type("bytes"), port_type("bytes"), port_type("bytes"));
  const std::uint32_t inverts = plan.add_stage("invert", port_type("bytes"));
  plan.join(joins, inverts);
  plan.add_edge(inverts, kSinkStage);
  WactModel model;
  WactDriver driver(model);
  REQUIRE(driver.load(plan.plan, plan.loaded).ok());
  std::mt19937 random(4);
  std::uint32_t sequence = 0;
  const auto run = [&](std::size_t first, std::size_t second) {
    auto shot = std::make_unique<TestFiring>(plan.plan, token(joins, first, sequence), random_bytes(random, first),
                                             first + second + 128, random_bytes(random, second));
    driver.run(shot->firing);
    ++sequence;
    return shot;
  };
  for (const auto& [first, second] : {std::pair{0, 0}, std::pair{3, 9}, std::pair{9, 3}, std::pair{64, 64},
                                      std::pair{16384, 50001}, std::pair{50001, 16384}, std::pair{0, 77}}) {
    const auto shot = run(static_cast<std::size_t>(first), static_cast<std::size_t>(second));
    INFO(shot->firing.message);
    REQUIRE(shot->firing.code == Code::kOk);
    Bytes both = shot->in;
    both.insert(both.end(), shot->second.begin(), shot->second.end());
    REQUIRE(shot->output() == invert(both));
    REQUIRE(shot->firing.routes[0].header.sequence == sequence);
    REQUIRE(shot->firing.input_memory[1].copied_bytes == shot->second.size());
  }
  const auto large = run(16385, 16385);  // neither fits a place
  REQUIRE(large->firing.code == Code::kTooLarge);
  REQUIRE(large->firing.message == "payload exceeds a place of the match table");
  TestFiring poisoned(plan.plan, poison(joins, Code::kCancelled, 42, 4), {'l', 'a', 't', 'e'}, 0);
  driver.run(poisoned.firing);
  ++sequence;
  REQUIRE(poisoned.firing.message == "late");
  const auto last = run(8, 9);
  REQUIRE(last->firing.routes[0].header.sequence == sequence);
  REQUIRE((model.read(wact::kRegMatches) >> 16 & 0xff) == 0);
}

TEST_CASE("load refuses what the node cannot run and says what to do") {
  const auto load = [](FpgaPlan& plan) {
    WactModel model;
    return WactDriver(model).load(plan.plan, plan.loaded);
  };
  FpgaPlan unknown;
  unknown.add_edge(unknown.add_stage("resize", port_type("bytes")), kSinkStage);
  Status status = load(unknown);
  REQUIRE(status.code() == Code::kUnsupported);
  REQUIRE(status.message().find("it has copy, invert, sharpen3x3") != std::string::npos);

  FpgaPlan join;
  const std::uint32_t stage = join.add_pair_stage("join2", port_type("bytes"), port_type("bytes"), port_type("bytes"));
  join.plan.stages[stage].inputs.push_back(join.plan.stages[stage].inputs[0]);
  REQUIRE(load(join).code() == Code::kUnsupported);

  FpgaPlan no_variant;
  no_variant.plan.stages[no_variant.add_stage("copy", port_type("bytes"))].variant.kind = "cpu";
  REQUIRE(load(no_variant).code() == Code::kUnsupported);

  FpgaPlan keeper;
  keeper.plan.stages[keeper.add_stage("copy", port_type("bytes"))].stateful = Stateful::kInstance;
  status = load(keeper);
  REQUIRE(status.code() == Code::kUnsupported);
  REQUIRE(status.message().find("keeps state, which an rtl kernel cannot") != std::string::npos);

  FpgaPlan relay;
  relay.plan.stages[relay.add_stage("copy", port_type("bytes"))].role = StageRole::kRelay;
  REQUIRE(load(relay).code() == Code::kUnsupported);

  FpgaPlan crowd;
  for (int i = 0; i < 61; ++i) crowd.add_edge(crowd.add_stage("copy", port_type("bytes")), kSinkStage);
  REQUIRE(load(crowd).ok());
}

TEST_CASE("a chain runs within the node, and each of its firings is told how it went") {
  ChainCase chain("verilator");
  WactModel model;
  WactDriver driver(model);
  REQUIRE(driver.load(chain.plan.plan, chain.plan.loaded).ok());
  for (std::uint32_t instance = 0; instance < 60; ++instance) {
    const auto shot = chain.draw(instance);
    driver.run(shot->firing);
    chain.check(*shot, instance + 1);
  }
}

TEST_CASE("a stage at the end of a full table is found") {
  FpgaPlan plan;
  plan.plan.stages.reserve(128);
  std::uint32_t last = 0;
  for (int i = 0; i < 64; ++i) plan.add_edge(last = plan.add_stage("invert", port_type("bytes")), kSinkStage, 1);
  WactModel model;
  WactDriver driver(model);
  REQUIRE(driver.load(plan.plan, plan.loaded).ok());
  TestFiring shot(plan.plan, token(last, 3), Bytes{1, 2, 3}, 64);
  driver.run(shot.firing);
  REQUIRE(shot.output() == Bytes{254, 253, 252});
  FpgaPlan more;
  more.plan.stages.reserve(128);
  for (int i = 0; i < 65; ++i) more.add_edge(more.add_stage("copy", port_type("bytes")), kSinkStage);
  WactModel other;
  REQUIRE(WactDriver(other).load(more.plan, more.loaded).code() == Code::kUnsupported);
}

}  // namespace
}  // namespace woa::test
