// Stages of two inputs on the node's wires: packets in any order, of several instances at once, and every way to be
// none of a match.
#include <iostream>

#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/node_reference.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kJoins = 0, kCopies = 1, kShaped = 2, kChained = 3, kBounded = 5, kWrongCore = 6;  // entries

struct Pairs : NodeBench {
  explicit Pairs(std::uint32_t seed) : NodeBench(seed) {
    const std::vector<Route> routes{{2, 1, 0}, {1, 0, 1, 0xff00, 3}};
    add({40, kJoinCore, {}, {}, routes, 0, {}, Port{}});
    add({41, kCopyCore, {}, {}, routes});
    add({42, kJoinCore, {{4, 0}, 30}, {}, {{5, 2, 2}}, 0, {}, Port{{2, 3, 5}}});
    add({43, kJoinCore, {}, {}, {}, 5, {}, Port{}});
    add({44, kInvertCore, {}, {}, routes});
    add({1069, kJoinCore, {{}, ~0u, 70}, {{}, ~0u, 60}, {{6, 0, 3}}, 0, {}, Port{{}, ~0u, 50}});
    add({46, kCopyCore, {}, {}, {{7, 0, 0}}, 0, {}, Port{}});  // a core of one input
    load();
  }
  // A payload for an input, which seldom does not fit.
  Bytes data_for(std::uint32_t entry, std::uint32_t port) {
    if (entry == kShaped && port == 0) {
      const std::uint32_t width = below(random, 33);                                   // beyond 30: no such input
      if (below(random, 12) == 0) return random_bytes(random, 1 + below(random, 60));  // not even a prefix
      return payload({width}, random_bytes(random, 4 * width + (below(random, 8) == 0 ? 1 : 0)));
    }
    if (entry == kShaped) return random_bytes(random, below(random, 8) == 0 ? 29 : 30);
    if (entry == kJoins && below(random, 5) == 0) return random_bytes(random, 16380 + below(random, 16));
    return random_bytes(random, below(random, 60));
  }
  [[nodiscard]] std::size_t routes_of(std::uint32_t entry) const {
    while (stages[entry].next != 0) entry = stages[entry].next - 1;
    return stages[entry].routes.size();
  }
  [[nodiscard]] ActivationPacket header_for(std::uint32_t entry, std::uint32_t port, std::size_t bytes,
                                            std::uint64_t instance) {
    ActivationPacket header = token(stages[entry].number, bytes, instance, random());
    header.port = static_cast<std::uint16_t>(port);
    return with_crc(header);
  }
  // Input `port` of a firing, and what must come of it.
  PacketIn half(NodeReference& reference, std::uint32_t entry, std::uint32_t port, const Bytes& data,
                std::uint64_t instance) {
    const ActivationPacket header = header_for(entry, port, data.size(), instance);
    PacketIn packet{packet_beats(header, data), frame(routes_of(entry))};
    reference.pair(entry, header, data, packet.frame);
    return packet;
  }
  std::uint32_t waiting() { return model.read(wact::kRegMatches) >> 16 & 0xff; }
};

// Far apart in one bit each.
std::uint64_t random_instance(NodeBench& bench) { return std::uint64_t{1} << 9 * below(bench.random, 8); }

// Breaks off a packet: the first of two is forgotten, the second takes the first with it.
PacketIn cut_packet(Pairs& bench, NodeReference& reference, std::uint32_t entry, std::uint32_t port,
                    std::uint64_t instance) {
  const Bytes data = random_bytes(bench.random, 17 + below(bench.random, 30));
  const ActivationPacket header = bench.header_for(entry, port, data.size(), instance);
  PacketIn packet{packet_beats(header, data), bench.frame(bench.routes_of(entry))};
  packet.beats.pop_back();
  NodeReference trial = reference;
  trial.expected = {};
  const bool matched = trial.pair(entry, header, data, packet.frame);
  const Completion& end = trial.expected.completions.front();
  if (!matched) {
    reference.rejects(end.rejection == wact::kRejectHeld ? wact::kRejectLength : end.rejection);
    return packet;
  }
  reference.waiting = trial.waiting;
  const bool good = std::ranges::all_of(trial.expected.completions, [](const Completion& c) { return c.fault == 0; });
  if (good) {
    reference.voids(entry, header, packet.frame);
  } else {
    reference.rejects(wact::kRejectLength);
  }
  return packet;
}

PacketIn random_packet(Pairs& bench, NodeReference& reference) {
  constexpr std::array kEntries{kJoins, kShaped, kChained, kBounded, kWrongCore};
  const std::uint32_t dice = below(bench.random, 20);
  if (dice == 0) {  // one input, one packet
    const Bytes data = random_bytes(bench.random, below(bench.random, 60));
    const ActivationPacket header = bench.header_for(kCopies, 0, data.size(), random_instance(bench));
    PacketIn packet{packet_beats(header, data), bench.frame(2)};
    reference.activate(kCopies, header, data, packet.frame);
    return packet;
  }
  if (dice == 1) {  // and none for its second
    const ActivationPacket header = bench.header_for(kCopies, 1, 20, random_instance(bench));
    reference.rejects(wact::kRejectUse);
    return {packet_beats(header, Bytes(20)), bench.frame(2)};
  }
  std::uint32_t entry = kEntries[below(bench.random, kEntries.size())], port = below(bench.random, 2);
  std::uint64_t instance = random_instance(bench);
  if (!reference.waiting.empty() && dice < 11) {
    const auto& [key, one] = *std::next(reference.waiting.begin(),
                                        below(bench.random, static_cast<std::uint32_t>(reference.waiting.size())));
    std::tie(entry, instance) = key;
    port = below(bench.random, 10) == 0 ? one.port : 1 - one.port;
  }
  if (dice == 2 || dice == 11) {  // of either port
    const Bytes message = random_bytes(bench.random, below(bench.random, 3) * 11);
    ActivationPacket header =
        poison(bench.stages[entry].number, Code::kPeerLost, 9, message.size(), instance, bench.random());
    header.port = static_cast<std::uint16_t>(port);
    header = with_crc(header);
    PacketIn packet{packet_beats(header, message), bench.frame(bench.routes_of(entry))};
    reference.poison(entry, header, message, packet.frame);
    return packet;
  }
  if (entry != kShaped && entry != kBounded && (dice == 3 || dice == 12))
    return cut_packet(bench, reference, entry, port, instance);
  return bench.half(reference, entry, port, bench.data_for(entry, port), instance);
}

TEST_CASE("packets of matches in any order are as they should be, with stalls on every stream") {
  const auto stalls = GENERATE(Stalls{}, Stalls{50, 0, 0, 0}, Stalls{0, 0, 50, 0}, Stalls{0, 50, 0, 50},
                               Stalls{50, 50, 50, 50}, Stalls{90, 10, 20, 90}, Stalls{10, 90, 90, 10});
  Pairs bench(stalls.s * 1000 + stalls.l * 100 + stalls.m * 10 + stalls.c);
  NodeReference reference(bench.stages);
  bench.stalls = stalls;
  std::vector<PacketIn> packets;
  for (std::uint32_t i = 0; i < 600; ++i) packets.push_back(random_packet(bench, reference));
  require_equal(bench.exchange(packets), reference.expected);
  std::array<std::uint32_t, 32> reasons{};
  std::array<std::uint32_t, 8> faults{};
  for (const Completion& completion : reference.expected.completions) {
    ++reasons.at(completion.rejection);
    ++faults.at(completion.fault);
  }
  for (const std::uint32_t reason :
       {0u, +wact::kRejectHeld, +wact::kRejectPlaces, +wact::kRejectTwice, +wact::kRejectUse, +wact::kRejectLength}) {
    INFO(reason);
    REQUIRE(reasons[reason] > 0);
    if (reason != 0) REQUIRE(bench.rejected(reason) == reasons[reason]);
  }
  for (const Fault fault : {kShape, kOutput, kUnable, kPlace}) {
    INFO(fault);
    REQUIRE(faults[fault] > 0);
  }
  REQUIRE(bench.waiting() == reference.waiting.size());
}

TEST_CASE("two inputs of every size come out one after the other, whichever came first") {
  Pairs bench(2);
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  for (const std::uint32_t stall : {0u, 40u}) {
    bench.stalls = {stall, stall, stall, stall};
    packets.clear();
    reference.expected = {};
    for (std::size_t a = 0; a <= 25; ++a) {
      for (std::size_t b = 0; b <= 25; ++b) {
        const std::uint32_t first = below(bench.random, 2);
        const auto size = [&](std::uint32_t port) { return port == 0 ? a : b; };
        for (const std::uint32_t port : {first, 1 - first})
          packets.push_back(bench.half(reference, kJoins, port, random_bytes(bench.random, size(port)), a * 26 + b));
      }
    }
    require_equal(bench.exchange(packets), reference.expected);
  }
}

TEST_CASE("a place takes 16 KiB, and a second packet any size") {
  Pairs bench(3);
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  for (const std::uint32_t first : {0u, 1u}) {
    packets.push_back(bench.half(reference, kJoins, first, random_bytes(bench.random, 16384), 1));
    packets.push_back(bench.half(reference, kJoins, first, random_bytes(bench.random, 16385), 2));
    packets.push_back(bench.half(reference, kJoins, 1 - first, random_bytes(bench.random, 40001), 1));
    packets.push_back(bench.half(reference, kJoins, 1 - first, random_bytes(bench.random, 8), 2));
  }
  const Traffic traffic = bench.exchange(packets);
  require_equal(traffic, reference.expected);
  REQUIRE(traffic.completions[2].fault == kNoFault);
  REQUIRE(traffic.completions[3].fault == kPlace);
}

TEST_CASE("a full table and a port that came twice are told apart, and disturb nothing") {
  Pairs bench(4);
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  const auto send = [&](std::uint32_t port, std::uint64_t instance) {
    packets.push_back(bench.half(reference, kJoins, port, random_bytes(bench.random, 30), instance));
  };
  for (std::uint64_t instance = 0; instance < 4; ++instance) send(instance % 2, instance);
  send(0, 4);
  send(0, 2);
  require_equal(bench.exchange(packets), reference.expected);
  REQUIRE(bench.waiting() == 4);
  REQUIRE(bench.rejected(wact::kRejectHeld) == 4);
  REQUIRE(bench.rejected(wact::kRejectPlaces) == 1);
  REQUIRE(bench.rejected(wact::kRejectTwice) == 1);
  REQUIRE(bench.model.read(wact::kRegLastRejection) == wact::kRejectTwice);
  packets.clear();
  reference.expected = {};
  for (const std::uint64_t instance : {2, 0, 3, 1}) send((instance + 1) % 2, instance);
  require_equal(bench.exchange(packets), reference.expected);
  REQUIRE(bench.waiting() == 0);
  REQUIRE(bench.model.read(wact::kRegAccepted) == 4);
}

TEST_CASE("poison frees the place of its instance alone") {
  Pairs bench(5);
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  for (const std::uint64_t instance : {5, 6})
    packets.push_back(bench.half(reference, kJoins, 0, random_bytes(bench.random, 30), instance));
  const ActivationPacket header = poison(bench.stages[kJoins].number, Code::kInvalid, 9, 0, 5);
  packets.push_back({packet_beats(header, {}), bench.frame(2)});
  reference.poison(kJoins, header, {}, packets.back().frame);
  require_equal(bench.exchange(packets), reference.expected);
  REQUIRE(bench.waiting() == 1);
  reference.expected = {};
  require_equal(bench.exchange({bench.half(reference, kJoins, 1, random_bytes(bench.random, 9), 6)}),
                reference.expected);
  REQUIRE(bench.waiting() == 0);
}

TEST_CASE("clear and reset empty the match table") {
  Pairs bench(6);
  for (const bool resets : {false, true}) {
    for (const std::uint32_t port : {0u, 1u}) {  // after the first round, the other port's packet waits, too
      NodeReference reference(bench.stages);
      require_equal(bench.exchange({bench.half(reference, kJoins, port, random_bytes(bench.random, 30), 1)}),
                    reference.expected);
      REQUIRE(bench.waiting() == 1);
      if (resets) {
        bench.reset();
        bench.load();
      } else {
        bench.model.write(wact::kRegClear, 1);
        while (!bench.model.cycle({}).idle) {
        }
      }
      REQUIRE(bench.waiting() == 0);
    }
  }
}

TEST_CASE("after a reset in any cycle the match table is as new") {
  Pairs bench(7);
  for (std::uint32_t cycle = 0; cycle < 250; ++cycle) {
    const std::uint32_t stall = cycle % 3 * 30;
    bench.stalls = {stall, stall, stall, stall};
    std::vector<PacketIn> packets;
    {
      NodeReference lost(bench.stages);
      for (std::uint32_t i = 0; i < 12; ++i) packets.push_back(random_packet(bench, lost));
    }
    bench.exchange(packets, cycle);
    bench.reset();
    bench.load();
    NodeReference reference(bench.stages);
    packets.clear();
    for (std::uint32_t i = 0; i < 8; ++i) packets.push_back(random_packet(bench, reference));
    require_equal(bench.exchange(packets), reference.expected);
    REQUIRE(bench.waiting() == reference.waiting.size());
  }
}

TEST_CASE("the first beat of a match leaves at most 24 cycles after the last beat of its second header") {
  Pairs bench(8);
  NodeReference reference(bench.stages);
  for (const std::uint32_t second : {1u, 0u}) {
    const Bytes data(64, 3);
    bench.exchange({bench.half(reference, kJoins, 1 - second, data, 1)});
    bench.exchange({bench.half(reference, kJoins, second, data, 1)});
    const std::uint64_t taken = bench.first_out.back() - bench.header_in.back();
    std::cout << "last header beat in to first beat out, match completed by input " << second << ": " << taken
              << " cycles\n";
    REQUIRE(taken <= 24);
  }
}

}  // namespace
}  // namespace woa::test
