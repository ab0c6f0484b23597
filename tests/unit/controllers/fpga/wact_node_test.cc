// The node on its wires: random stalls on every stream, packets back to back, every way to be a bad packet, and its
// pace.
#include <iostream>

#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/node_reference.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kInverts = 3, kSharpens = 4, kCopies = 1029;

// `invert` with two routes, `sharpen3x3` with one, and `copy` with three, two of them on one channel.
struct ThreeStages : NodeBench {
  explicit ThreeStages(std::uint32_t seed) : NodeBench(seed) {
    const Port image{{0, 0, 0}};
    add({kInverts, kInvertCore, {}, {}, {{2, 1, 0}, {1, 0, 1}}});
    add({kSharpens, kSharpenCore, image, image, {{2, 2, 0}}});
    add({kCopies, kCopyCore, {{4, 0}, 30}, {{4, 0}, 25}, {{9, 3, 2, 0xff00, 7}, {8, 0, 63}, {7, 0, 2}}});
    load();
  }
};

struct BadPacket {
  const char* name;
  std::uint32_t reason;
  Beats beats;
  bool voids = false;  // an output packet had begun, and was taken back
};

ActivationPacket changed(const ActivationPacket& header, auto&& change) {
  ActivationPacket packet = header;
  change(packet);
  if ((packet.flags & kHeaderCrc) != 0) packet.crc32c = plain_crc(packet);
  return packet;
}

std::vector<BadPacket> bad_packets() {
  const Bytes data(20, 3);
  const auto good = [&] { return token(kInverts, data.size()); };
  const auto bad = [&](auto&& change) { return packet_beats(changed(good(), change), data); };
  const auto reason = [](Rejection rejection) { return static_cast<std::uint32_t>(rejection); };
  Beats crc = packet_beats(good(), data);
  crc[2] ^= 1;
  Beats cut = packet_beats(good(), data), longer = cut, early = cut, runt = cut;
  cut.pop_back();
  longer.push_back(0);
  early.resize(8);
  runt.resize(3);
  Beats bare = packet_beats(token(kInverts, 0), {});
  bare.push_back(1);
  Beats no_prefix = packet_beats(token(kSharpens, 100), Bytes(40));
  Beats over_prefix = packet_beats(token(kSharpens, 64), Bytes(72));
  Beats while_failing = packet_beats(token(kSharpens, 100), Bytes(100));
  while_failing.pop_back();
  return {
      {"magic", reason(Rejection::kMagic), bad([](auto& p) { p.magic = 0x4158; })},
      {"version", reason(Rejection::kVersion), bad([](auto& p) { p.version = 2; })},
      {"kind", reason(Rejection::kKind), bad([](auto& p) { p.kind = 7; })},
      {"flags", reason(Rejection::kFlags), bad([](auto& p) { p.flags = 0x14; })},
      {"header crc", reason(Rejection::kHeaderCrc), crc},
      {"crc without flag", reason(Rejection::kHeaderCrc), bad([](auto& p) { p.flags = 0; })},
      {"status", reason(Rejection::kStatus), bad([](auto& p) { p.status = 1; })},
      {"flag use", reason(Rejection::kFlagUse), bad([](auto& p) { p.flags = kHeaderCrc | kAbsent | kInline; })},
      {"payload bytes", reason(Rejection::kPayloadBytes), bad([](auto& p) { p.payload_bytes = 1ull << 39; })},
      {"device", reason(Rejection::kDevice), bad([](auto& p) { p.device = 31; })},
      {"region", reason(Rejection::kRegion),
       packet_beats(changed(poison(kInverts, Code::kInvalid, 0, 0), [](auto& p) { p.region = 1; }), {})},
      {"end is not for kernels", wact::kRejectUse,
       packet_beats(changed(token(kInverts, 0), [](auto& p) { p.kind = 6, p.region = 0, p.offset = 0; }), {})},
      {"absent", wact::kRejectUse, packet_beats(changed(token(kInverts, 0), [](auto& p) { p.flags |= kAbsent; }), {})},
      {"payload crc", wact::kRejectUse, bad([](auto& p) { p.flags |= kPayloadCrc; })},
      {"port", wact::kRejectUse, bad([](auto& p) { p.port = 1; })},
      {"2 GiB", wact::kRejectUse, bad([](auto& p) { p.payload_bytes = 1ull << 31; })},
      {"stage", wact::kRejectStage, bad([](auto& p) { p.stage = 77; })},
      {"stage of another controller", wact::kRejectStage,
       packet_beats(changed(good(), [](auto& p) { p.stage = 2; }), data)},
      {"runt", wact::kRejectLength, runt},
      {"no payload", wact::kRejectLength, early},
      {"payload where none is", wact::kRejectLength, bare},
      {"cut", wact::kRejectLength, cut, true},
      {"too long", wact::kRejectLength, longer, true},
      {"cut in the prefix", wact::kRejectLength, no_prefix},
      {"longer than its prefix", wact::kRejectLength, over_prefix},
      {"cut while its kernel fails", wact::kRejectLength, while_failing},
  };
}

std::array<std::uint64_t, 8> head_of(const Beats& beats) {
  std::array<std::uint64_t, 8> head{};
  std::copy_n(beats.begin(), 8, head.begin());
  return head;
}

// A good packet for one of the three stages, or poison; the reference says what must come of it.
PacketIn random_packet(NodeBench& bench, NodeReference& reference, std::uint64_t instance) {
  const std::uint32_t entry = below(bench.random, 3), number = bench.stages[entry].number;
  const Beats frame = bench.frame(bench.stages[entry].routes.size());
  if (below(bench.random, 5) == 0) {
    const Bytes message = random_bytes(bench.random, below(bench.random, 4) * below(bench.random, 20));
    const ActivationPacket header = poison(number, Code::kUnavailable, 77, message.size(), instance, bench.random());
    reference.poison(entry, header, message, frame);
    return {packet_beats(header, message), frame};
  }
  Bytes data;
  if (entry == 0) data = random_bytes(bench.random, below(bench.random, 90));
  if (entry == 1) {
    const Dims dims{1 + below(bench.random, 9), 1 + below(bench.random, 30), 1 + below(bench.random, 8)};  // 8: no core
    data = payload(dims, random_bytes(bench.random, std::size_t{dims[0]} * dims[1] * dims[2]));
  }
  if (entry == 2) {
    const std::uint32_t width = below(bench.random, 33);  // beyond 25: too large, beyond 30: no such input
    data = payload({width}, random_bytes(bench.random, 4 * width + (below(bench.random, 6) == 0 ? 1 : 0)));
  }
  if (entry != 0 && below(bench.random, 12) == 0) data.resize(1 + below(bench.random, 63));  // not even a prefix
  const ActivationPacket header = token(number, data.size(), instance, bench.random());
  reference.activate(entry, header, data, frame);
  return {packet_beats(header, data), frame};
}

TEST_CASE("with stalls on every stream all packets and completions are as they should be, back to back") {
  const auto stalls = GENERATE(Stalls{}, Stalls{30, 0, 0, 0}, Stalls{0, 30, 0, 0}, Stalls{0, 0, 30, 0},
                               Stalls{0, 0, 0, 30}, Stalls{50, 50, 50, 50}, Stalls{90, 0, 20, 0}, Stalls{20, 0, 90, 0},
                               Stalls{0, 95, 0, 0}, Stalls{0, 0, 0, 95}, Stalls{10, 80, 10, 80});
  ThreeStages bench(stalls.s * 1000 + stalls.l * 100 + stalls.m * 10 + stalls.c);
  NodeReference reference(bench.stages);
  bench.stalls = stalls;
  const std::vector<BadPacket> bad = bad_packets();
  std::vector<PacketIn> packets;
  std::uint32_t bad_ones = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    if (below(bench.random, 4) != 0) {
      packets.push_back(random_packet(bench, reference, i));
      continue;
    }
    const BadPacket& one = bad[below(bench.random, static_cast<std::uint32_t>(bad.size()))];
    packets.push_back({one.beats, bench.frame(2)});
    if (one.voids) {
      reference.voids(0, std::bit_cast<ActivationPacket>(head_of(one.beats)), packets.back().frame);
    } else {
      reference.rejects(one.reason);
    }
    ++bad_ones;
  }
  const Traffic traffic = bench.exchange(packets);
  require_equal(traffic, reference.expected);
  REQUIRE(bench.model.read(wact::kRegAccepted) == packets.size() - bad_ones);
  REQUIRE(bench.model.read(wact::kRegEmitted) ==
          static_cast<std::uint32_t>(std::ranges::count_if(
              traffic.packets, [](const PacketOut& packet) { return (packet.user & wact::kUserVoid) == 0; })));
  REQUIRE(bench.model.read(wact::kRegFaults) ==
          static_cast<std::uint32_t>(
              std::ranges::count_if(traffic.completions, [](const Completion& c) { return c.fault != 0; })));
  REQUIRE(bench.rejected_in_all() == bad_ones);
}

TEST_CASE("a bad packet is counted by its reason, dropped, and does not disturb the next") {
  ThreeStages bench(5);
  NodeReference reference(bench.stages);
  const Bytes data(13, 9);
  for (const std::uint32_t stall : {0u, 40u}) {
    bench.stalls = {stall, stall, stall, stall};
    for (const BadPacket& bad : bad_packets()) {
      INFO(bad.name);
      const std::uint32_t before = bench.rejected(bad.reason), all = bench.rejected_in_all();
      reference.expected = {};
      const Beats frame = bench.frame(2);
      if (bad.voids) {
        reference.voids(0, std::bit_cast<ActivationPacket>(head_of(bad.beats)), frame);
      } else {
        reference.rejects(bad.reason);
      }
      const ActivationPacket header = token(kInverts, data.size());
      reference.activate(0, header, data, frame);
      require_equal(bench.exchange({{bad.beats, frame}, {packet_beats(header, data), frame}}), reference.expected);
      REQUIRE(bench.rejected(bad.reason) == before + 1);
      REQUIRE(bench.rejected_in_all() == all + 1);
      REQUIRE(bench.model.read(wact::kRegLastRejection) == bad.reason);
    }
  }
}

TEST_CASE("a landing frame of another length than the stage's routes rejects its packet alone") {
  ThreeStages bench(8);
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  for (const std::size_t length : {1u, 3u, 255u, 256u, 257u, 600u}) {
    const Bytes data = random_bytes(bench.random, 40);
    const ActivationPacket header = token(kInverts, data.size(), length);
    packets.push_back({packet_beats(header, data), bench.frame(length)});
    reference.rejects(wact::kRejectLanding);
    packets.push_back({packet_beats(header, data), bench.frame(2)});
    reference.activate(0, header, data, packets.back().frame);
    const ActivationPacket passed_on = poison(kInverts, Code::kUnavailable, 5, 0);
    packets.push_back({packet_beats(passed_on, {}), bench.frame(length)});
    reference.rejects(wact::kRejectLanding);
  }
  const std::uint32_t stall = GENERATE(0u, 50u);
  bench.stalls = {stall, stall, stall, stall};
  require_equal(bench.exchange(packets), reference.expected);
  REQUIRE(bench.rejected(wact::kRejectLanding) == 12);
}

TEST_CASE("a line longer than the core's buffer is a fault, and one that fills it is not") {
  ThreeStages bench(14);
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  for (const std::uint32_t width : {16384u, 16385u}) {
    const Bytes data = payload({1, width, 1}, random_bytes(bench.random, width));
    const ActivationPacket header = token(kSharpens, data.size());
    packets.push_back({packet_beats(header, data), bench.frame(1)});
    reference.activate(1, header, data, packets.back().frame);
  }
  const Traffic traffic = bench.exchange(packets);
  require_equal(traffic, reference.expected);
  REQUIRE(traffic.completions[1].fault == kLine);
}

TEST_CASE("clear begins the sequences and the statistics again, and keeps the tables") {
  ThreeStages bench(9);
  for (int round = 0; round < 2; ++round) {
    NodeReference reference(bench.stages);
    std::vector<PacketIn> packets;
    for (std::uint64_t i = 0; i < 40; ++i) packets.push_back(random_packet(bench, reference, i));
    packets.push_back({{1, 2, 3}, bench.frame(1)});
    reference.rejects(wact::kRejectLength);
    require_equal(bench.exchange(packets), reference.expected);
    REQUIRE(bench.model.read(wact::kRegAccepted) == 40);
    REQUIRE(bench.model.read(wact::kRegBusyLow) > 0);
    bench.model.write(wact::kRegClear, 1);
    REQUIRE(!bench.model.cycle({}).idle);
    while (!bench.model.cycle({}).idle) {
    }
    for (const std::uint32_t counter :
         {wact::kRegAccepted, wact::kRegEmitted, wact::kRegFaults, wact::kRegLastRejection, wact::kRegBusyLow,
          wact::kRegStarved, wact::kRegStalled}) {
      REQUIRE(bench.model.read(counter) == 0);
    }
    REQUIRE(bench.rejected_in_all() == 0);
  }
}

TEST_CASE("after a reset in any cycle the node is as new") {
  ThreeStages bench(13);
  for (std::uint32_t cycle = 0; cycle < 250; ++cycle) {
    const std::uint32_t stall = cycle % 3 * 30;
    bench.stalls = {stall, stall, stall, stall};
    std::vector<PacketIn> packets;
    {
      NodeReference lost(bench.stages);
      for (std::uint64_t i = 0; i < 12; ++i) packets.push_back(random_packet(bench, lost, i));
    }
    bench.exchange(packets, cycle);
    bench.reset();
    REQUIRE(bench.model.read(wact::kRegStages) == 0);
    REQUIRE(bench.model.read(wact::kRegAccepted) == 0);
    bench.load();
    NodeReference reference(bench.stages);
    packets.clear();
    for (std::uint64_t i = 0; i < 5; ++i) packets.push_back(random_packet(bench, reference, i));
    require_equal(bench.exchange(packets), reference.expected);
  }
}

TEST_CASE("waits for the streams are counted") {
  ThreeStages bench(10);
  const Bytes data(160, 1);
  const auto counted = [&](Stalls stalls, std::uint32_t counter) {
    bench.stalls = stalls;
    const std::uint32_t before = bench.model.read(counter);
    bench.exchange({{packet_beats(token(kInverts, data.size()), data), bench.frame(2)}});
    return bench.model.read(counter) - before;
  };
  REQUIRE(counted({}, wact::kRegStarved) == 0);
  REQUIRE(counted({}, wact::kRegStalled) == 0);
  REQUIRE(counted({80, 0, 0, 0}, wact::kRegStarved) > 20);
  REQUIRE(counted({0, 99, 0, 0}, wact::kRegStarved) > 20);
  REQUIRE(counted({0, 0, 80, 0}, wact::kRegStalled) > 20);
  REQUIRE(counted({0, 0, 0, 95}, wact::kRegStalled) > 0);
}

// The bars of the node. Cycles of the RTL, so they do not depend on the machine.
TEST_CASE("the first beat leaves at most 24 cycles after the last beat of a header") {
  ThreeStages bench(6);
  const auto cycles = [&](const char* name, const ActivationPacket& header, const Bytes& data, std::size_t routes) {
    bench.exchange({{packet_beats(header, data), bench.frame(routes)}});
    const std::uint64_t taken = bench.first_out.back() - bench.header_in.back();
    std::cout << "last header beat in to first beat out, " << name << ": " << taken << " cycles\n";
    return taken;
  };
  const Bytes data(64, 3);
  REQUIRE(cycles("64 bytes", token(kInverts, data.size()), data, 2) <= 24);
  REQUIRE(cycles("with a prefix", token(kSharpens, 128), payload({4, 4, 4}, data), 1) <= 24);
  REQUIRE(cycles("poison", poison(kInverts, Code::kUnavailable, 5, 0), {}, 2) <= 24);
}

TEST_CASE("packets of 64 bytes leave one in 24 cycles, and a payload's beats one in a cycle") {
  NodeBench bench(7);
  bench.add({3, kCopyCore, {}, {}, {{2, 1, 0}}});
  bench.add({4, kInvertCore, {}, {}, {{2, 1, 0}}});
  bench.load();
  const auto period = [&](const char* name, std::uint32_t other) {
    std::vector<PacketIn> packets;
    const Bytes data(64, 3);
    for (std::uint32_t i = 0; i < 200; ++i) {
      packets.push_back({packet_beats(token(i % 2 == 0 ? 3 : other, data.size()), data), bench.frame(1)});
    }
    bench.last_out.clear();
    bench.exchange(packets);
    const double cycles = static_cast<double>(bench.last_out[199] - bench.last_out[19]) / 180;
    std::cout << "packets of 64 bytes, " << name << ": one in " << cycles << " cycles\n";
    return cycles;
  };
  REQUIRE(period("one core", 3) <= 24);
  REQUIRE(period("two cores", 4) <= 24);
  const Bytes data = random_bytes(bench.random, 8000);
  bench.exchange({{packet_beats(token(3, data.size()), data), bench.frame(1)}});
  REQUIRE(bench.last_out.back() - bench.first_out.back() + 1 == 8 + 1000);
}

TEST_CASE("a core runs while another one's result still leaves") {
  ThreeStages bench(12);
  const Bytes image = random_bytes(bench.random, 16 * 64);
  const auto last_beat = [&](std::uint32_t other) {
    std::vector<PacketIn> packets;
    for (std::uint32_t i = 0; i < 20; ++i) {
      const bool sharpens = i % 2 == 0 || other == kSharpens;
      const Bytes data = sharpens ? payload({2, 512, 1}, image) : image;
      packets.push_back(
          {packet_beats(token(sharpens ? kSharpens : kInverts, data.size()), data), bench.frame(sharpens ? 1 : 2)});
    }
    const std::uint64_t start = bench.clock;
    bench.exchange(packets);
    return bench.last_out.back() - start;
  };
  // Alone, sharpen3x3 is idle for a line of 64 beats whenever the next picture must wait for its last line.
  const std::uint64_t alone = last_beat(kSharpens), mixed = last_beat(kInverts);
  std::cout << "20 packets of 1 KiB: one core " << alone << " cycles, two cores " << mixed << " cycles\n";
  REQUIRE(mixed + 9 * 64 < alone);
}

TEST_CASE("sharpen3x3 takes eight bytes per cycle") {
  ThreeStages bench(11);
  const Bytes data = payload({60, 128, 3}, random_bytes(bench.random, 60 * 128 * 3));
  const PacketIn packet{packet_beats(token(kSharpens, data.size()), data), bench.frame(1)};
  const std::uint32_t before = bench.model.read(wact::kRegBusyLow);
  bench.exchange({packet});
  const std::uint32_t line_beats = 128 * 3 / 8;
  REQUIRE(bench.model.read(wact::kRegBusyLow) - before < packet.beats.size() + line_beats + 64);
}

}  // namespace
}  // namespace woa::test
