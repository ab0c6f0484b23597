// The node on its wires: stalls on both streams, packets back to back, every way to be a bad packet.
#include <optional>

#include "controllers/fpga/verilator/wact_driver.h"
#include "controllers/fpga/verilator/wact_model.h"
#include "controllers/fpga/wact_registers.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {
namespace {

struct Packet {
  std::vector<std::uint64_t> beats;
  std::uint8_t user = 0;
};

Packet packet(const ActivationPacket& header, const Bytes& payload) {
  Packet packet;
  const auto head = std::bit_cast<std::array<std::uint64_t, 8>>(header);
  packet.beats.assign(head.begin(), head.end());
  for (std::size_t at = 0; at < payload.size(); at += 8) {
    std::uint64_t beat = 0;
    std::memcpy(&beat, payload.data() + at, std::min<std::size_t>(8, payload.size() - at));
    packet.beats.push_back(beat);
  }
  return packet;
}

// Two stages: `invert` with routes to the cpu and the sink, `sharpen3x3` with one to the cpu.
struct Bench {
  FpgaPlan plan;
  std::uint32_t inverts, sharpens;
  WactModel model;
  std::mt19937 random;
  std::uint32_t stall_in = 0, stall_out = 0;  // per cent of the cycles

  explicit Bench(std::uint32_t seed)
      : inverts(plan.add_stage("invert", port_type("bytes"))),
        sharpens(plan.add_stage("sharpen3x3", port_type("u8", {0, 0, 0}))),
        random(seed) {
    plan.add_edge(inverts, 2, 1);
    plan.add_edge(inverts, kSinkStage, 0);
    plan.add_edge(sharpens, 2, 2);
    WactDriver driver(model);
    REQUIRE(driver.load(plan.plan, plan.loaded).ok());
    for (std::uint32_t route = 0; route < 3; ++route) {  // routes are in order of the edges
      const std::uint32_t entry = wact::kRegRouteTable + route * wact::kEntryWords;
      model.write(entry + wact::kRouteMemory, 1u | std::uint32_t{landing(route).region} << 16);
      model.write(entry + wact::kRouteOffset, landing(route).offset);
    }
  }
  static Landing landing(std::uint32_t edge) { return TestFiring::landing(edge); }

  // Sends the packets back to back and returns what left until the node was idle again.
  std::vector<Packet> exchange(const std::vector<Packet>& packets) {
    std::vector<Packet> sent;
    std::size_t number = 0, beat = 0;
    Packet current;
    WactInput input;
    for (int quiet = 0; quiet < 100000; ++quiet) {
      const bool done = number == packets.size();
      // AXI4-Stream: once valid, an offer stands until it is taken.
      if (!done && !input.s_tvalid && random() % 100 >= stall_in) {
        input.s_tvalid = true;
        input.s_tdata = packets[number].beats[beat];
        input.s_tlast = beat + 1 == packets[number].beats.size();
      }
      input.m_tready = random() % 100 >= stall_out;
      const WactOutput output = model.cycle(input);
      if (output.m_tvalid && input.m_tready) {
        quiet = 0;
        current.beats.push_back(output.m_tdata);
        current.user |= output.m_tuser;
        if (output.m_tlast) sent.push_back(std::exchange(current, {}));
      }
      if (done && output.idle) return sent;
      if (!input.s_tvalid || !output.s_tready) continue;
      quiet = 0;
      input.s_tvalid = false;
      if (++beat < packets[number].beats.size()) continue;
      beat = 0;
      ++number;
    }
    FAIL("the node hangs");
    return {};
  }
  std::uint32_t rejected(std::uint32_t reason) { return model.read(wact::kRegRejected + reason); }
  std::uint32_t rejected_in_all() {
    std::uint32_t sum = 0;
    for (std::uint32_t reason = 0; reason < 32; ++reason) sum += rejected(reason);
    return sum;
  }
};

TEST_CASE("with stalls on both sides every packet is as it should be, back to back") {
  const auto [in, out] = GENERATE(std::pair{0u, 0u}, std::pair{30u, 0u}, std::pair{0u, 30u}, std::pair{50u, 50u},
                                  std::pair{90u, 20u}, std::pair{20u, 90u});
  Bench bench(in * 100 + out);
  bench.stall_in = in;
  bench.stall_out = out;
  std::vector<Packet> packets, wanted;
  std::uint32_t cpu = 0, host = 0;
  const auto expect = [&](std::uint32_t edge, const ActivationPacket& header, std::uint32_t sequence, const Bytes& data,
                          std::uint8_t user) {
    const auto sealed = expected(bench.plan.plan, edge, header, sequence, data.size(), Bench::landing(edge));
    wanted.push_back(packet(sealed, user == 0 ? data : Bytes{}));
    wanted.back().user = user;
  };
  for (std::uint64_t i = 0; i < 24; ++i) {
    if (i % 2 == 0) {
      const Bytes data = random_bytes(bench.random, bench.random() % 60);
      const ActivationPacket header = token(bench.inverts, data.size(), i, i * 3);
      packets.push_back(packet(header, data));
      expect(0, header, ++cpu, invert(data), 0);
      expect(1, header, ++host, invert(data), wact::kUserFurtherRoute);
    } else {
      const Dims dims{1 + below(bench.random, 9), 1 + below(bench.random, 30), 1 + below(bench.random, 4)};
      const Bytes image = random_bytes(bench.random, std::size_t{dims[0]} * dims[1] * dims[2]);
      const ActivationPacket header = token(bench.sharpens, 64 + image.size(), i, i * 3);
      packets.push_back(packet(header, payload(dims, image)));
      const Bytes result =
          sharpen(image, static_cast<int>(dims[0]), static_cast<int>(dims[1]), static_cast<int>(dims[2]));
      expect(2, header, ++cpu, payload(dims, result), 0);
    }
  }
  const std::vector<Packet> sent = bench.exchange(packets);
  REQUIRE(sent.size() == wanted.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    INFO("packet " << i);
    REQUIRE(sent[i].user == wanted[i].user);
    REQUIRE(sent[i].beats == wanted[i].beats);
  }
  REQUIRE(bench.model.read(wact::kRegAccepted) == packets.size());
  REQUIRE(bench.model.read(wact::kRegEmitted) == sent.size());
  REQUIRE(bench.rejected_in_all() == 0);
}

struct BadPacket {
  const char* name;
  std::uint32_t reason;
  Packet packet;
  bool voids = false;  // an output packet had begun, and was taken back
};

ActivationPacket changed(const ActivationPacket& header, auto&& change) {
  ActivationPacket packet = header;
  change(packet);
  if ((packet.flags & kHeaderCrc) != 0) packet.crc32c = plain_crc(packet);
  return packet;
}

std::vector<BadPacket> bad_packets(const Bench& bench) {
  const Bytes data(20, 3);
  const auto good = [&] { return token(bench.inverts, data.size()); };
  const auto bad = [&](auto&& change) { return packet(changed(good(), change), data); };
  const auto reason = [](Rejection rejection) { return static_cast<std::uint32_t>(rejection); };
  Packet crc = packet(good(), data);
  crc.beats[2] ^= 1;
  Packet cut = packet(good(), data), longer = cut, early = cut, runt = cut;
  cut.beats.pop_back();
  longer.beats.push_back(0);
  early.beats.resize(8);
  runt.beats.resize(3);
  Packet bare = packet(token(bench.inverts, 0), {});
  bare.beats.push_back(1);
  Packet no_prefix = packet(token(bench.sharpens, 100), Bytes(40));
  Packet over_prefix = packet(token(bench.sharpens, 64), Bytes(72));
  Packet while_failing = packet(token(bench.sharpens, 100), Bytes(100));
  while_failing.beats.pop_back();
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
       packet(changed(poison(bench.inverts, Code::kInvalid, 0, 0), [](auto& p) { p.region = 1; }), {})},
      {"end is not for kernels", wact::kRejectUse,
       packet(changed(token(bench.inverts, 0), [](auto& p) { p.kind = 6, p.region = 0, p.offset = 0; }), {})},
      {"absent", wact::kRejectUse, packet(changed(token(bench.inverts, 0), [](auto& p) { p.flags |= kAbsent; }), {})},
      {"payload crc", wact::kRejectUse, bad([](auto& p) { p.flags |= kPayloadCrc; })},
      {"port", wact::kRejectUse, bad([](auto& p) { p.port = 1; })},
      {"2 GiB", wact::kRejectUse, bad([](auto& p) { p.payload_bytes = 1ull << 31; })},
      {"stage", wact::kRejectStage, bad([](auto& p) { p.stage = 77; })},
      {"stage of another controller", wact::kRejectStage, packet(changed(good(), [](auto& p) { p.stage = 2; }), data)},
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

TEST_CASE("a bad packet is counted by its reason, dropped, and does not disturb the next") {
  Bench bench(5);
  const Bytes data(13, 9);
  std::uint32_t sequence = 0;
  for (const std::uint32_t stall : {0u, 40u}) {
    bench.stall_in = bench.stall_out = stall;
    for (const BadPacket& bad : bad_packets(bench)) {
      INFO(bad.name);
      const std::uint32_t before = bench.rejected(bad.reason), all = bench.rejected_in_all();
      const ActivationPacket header = token(bench.inverts, data.size());
      std::vector<Packet> sent = bench.exchange({bad.packet, packet(header, data)});
      if (bad.voids) {
        REQUIRE((sent.at(0).user & wact::kUserVoid) != 0);
        sent.erase(sent.begin());
      }
      REQUIRE(bench.rejected(bad.reason) == before + 1);
      REQUIRE(bench.rejected_in_all() == all + 1);
      REQUIRE(bench.model.read(wact::kRegLastRejection) == bad.reason);
      REQUIRE(sent.size() == 2);
      REQUIRE(sent[0].user == 0);
      REQUIRE(static_cast<std::uint32_t>(sent[0].beats.at(5)) == ++sequence);
      REQUIRE(sent[0].beats.at(8) == 0xf6f6f6f6f6f6f6f6ull);
      REQUIRE(sent[0].beats.at(9) == 0x000000f6f6f6f6f6ull);
      REQUIRE(sent[0].beats.size() == 10);
      REQUIRE(sent[1].beats.size() == 8);
    }
  }
}

TEST_CASE("eight bytes per cycle") {
  Bench bench(6);
  const Dims dims{60, 128, 3};
  const Bytes image = random_bytes(bench.random, 60 * 128 * 3);
  const Packet in = packet(token(bench.sharpens, 64 + image.size()), payload(dims, image));
  const auto busy = [&] { return bench.model.read(wact::kRegBusyLow); };
  const std::uint32_t before = busy();
  bench.exchange({in});
  const std::uint32_t line_beats = 128 * 3 / 8;
  REQUIRE(busy() - before < in.beats.size() + line_beats + 128);
}

}  // namespace
}  // namespace woa::test
