// Chains: stages whose results go to the next core by stream, inside the node.
#include <iostream>

#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/node_reference.h"

namespace woa::test {
namespace {

const Port kImage{{0, 0, 0}};
const Port kLow{{0, 0, 0}, 9};  // no extent beyond 9

// Every core alone, chains of two and of three in several orders, and ports that are narrower along the way.
struct Chains : NodeBench {
  std::vector<std::uint32_t> heads;

  explicit Chains(std::uint32_t seed) : NodeBench(seed) {
    const std::vector<Route> routes{{2, 1, 0}, {1, 0, 1}};
    heads = {chain({{0, kCopyCore, kImage, kImage, {}}}, {{3, 0, 2}}),
             chain({{0, kInvertCore, kImage, kImage, {}}}, routes),
             chain({{0, kSharpenCore, kImage, kImage, {}}, {0, kInvertCore, kImage, kImage, {}}}, routes),
             chain({{0, kInvertCore, kImage, kImage, {}}, {0, kCopyCore, kImage, kLow, {}}}, {{4, 2, 0, 0, 1}}),
             chain({{0, kCopyCore, kImage, kImage, {}},
                    {0, kInvertCore, kLow, kImage, {}},
                    {0, kSharpenCore, kImage, kImage, {}}},
                   routes),
             chain({{0, kSharpenCore, kImage, kLow, {}},
                    {0, kCopyCore, kImage, kImage, {}},
                    {0, kInvertCore, kImage, {{0, 0, 3}, 8}, {}}},
                   {{3, 0, 3}}),
             chain({{0, kInvertCore, {}, {}, {}}, {0, kCopyCore, {}, {}, {}}}, routes)};
    load();
  }

 private:
  // Adds the stages in reverse, so that `next` may point either way. Returns the entry of the first one.
  std::uint32_t chain(std::vector<Stage> chain, const std::vector<Route>& routes) {
    chain.back().routes = routes;
    std::uint32_t next = 0;
    for (std::size_t i = chain.size(); i-- > 0;) {
      chain[i].number = 100 + static_cast<std::uint32_t>(stages.size());
      chain[i].next = next;
      next = add(chain[i]) + 1;
    }
    return next - 1;
  }
};

PacketIn random_packet(Chains& bench, NodeReference& reference, std::uint64_t instance) {
  const std::uint32_t entry = bench.heads[below(bench.random, static_cast<std::uint32_t>(bench.heads.size()))];
  const Stage& head = bench.stages[entry];
  std::uint32_t last = entry;
  while (bench.stages[last].next != 0) last = bench.stages[last].next - 1;
  const Beats frame = bench.frame(bench.stages[last].routes.size());
  if (below(bench.random, 6) == 0) {
    const Bytes message = random_bytes(bench.random, below(bench.random, 3) * 11);
    const ActivationPacket header = poison(head.number, Code::kPeerLost, 9, message.size(), instance, bench.random());
    reference.poison(entry, header, message, frame);
    return {packet_beats(header, message), frame};
  }
  Bytes data = random_bytes(bench.random, below(bench.random, 70));
  if (!head.in.dims.empty()) {
    const Dims dims{below(bench.random, 12), below(bench.random, 10), 1 + below(bench.random, 8)};
    data = payload(dims,
                   random_bytes(bench.random, std::size_t{dims[0]} * dims[1] * dims[2] + (instance % 16 == 0 ? 1 : 0)));
  }
  ActivationPacket header = token(head.number, data.size(), instance, bench.random());
  PacketIn packet{packet_beats(header, data), frame};
  if (data.size() > 72 && below(bench.random, 10) == 0) {  // cut: void once the plan is good
    NodeReference trial(bench.stages);
    trial.activate(entry, header, data, frame);
    packet.beats.pop_back();
    const bool good = std::ranges::all_of(trial.expected.completions, [](const Completion& c) { return c.fault == 0; });
    if (good) {
      reference.voids(entry, header, frame);
    } else {
      reference.rejects(wact::kRejectLength);
    }
    return packet;
  }
  reference.activate(entry, header, data, frame);
  return packet;
}

TEST_CASE("chains of up to three cores are bit-exact among stages alone, with stalls on every stream") {
  const auto stalls = GENERATE(Stalls{}, Stalls{50, 0, 0, 0}, Stalls{0, 0, 50, 0}, Stalls{0, 50, 0, 50},
                               Stalls{50, 50, 50, 50}, Stalls{90, 10, 20, 90}, Stalls{10, 90, 90, 10});
  Chains bench(stalls.s * 1000 + stalls.l * 100 + stalls.m * 10 + stalls.c);
  NodeReference reference(bench.stages);
  bench.stalls = stalls;
  std::vector<PacketIn> packets;
  for (std::uint64_t i = 0; i < 400; ++i) packets.push_back(random_packet(bench, reference, i));
  require_equal(bench.exchange(packets), reference.expected);
  std::array<int, 3> failed{};  // faults by position in the chain
  std::size_t position = 0;
  for (const Completion& completion : reference.expected.completions) {
    if (completion.fault != 0) ++failed.at(position);
    position = completion.last ? 0 : position + 1;
  }
  for (const int faults : failed) REQUIRE(faults > 0);
}

// The tables that a driver must not write.
TEST_CASE("a chain that leads nowhere rejects its packets, and a core that stands in it twice cannot run") {
  NodeBench bench(3);
  bench.add({10, kCopyCore, {}, {}, {}, 64});   // beyond the table
  bench.add({11, kCopyCore, {}, {}, {}, 3});    // to a stage without routes
  bench.add({12, kInvertCore, {}, {}, {}, 0});  // that one
  bench.add({13, kCopyCore, {}, {}, {}, 5});    // copy twice
  bench.add({14, kCopyCore, {}, {}, {{2, 0, 0}}, 0});
  bench.add({15, kCopyCore, {}, {}, {}, 7});  // round and round
  bench.add({16, kInvertCore, {}, {}, {}, 6});
  bench.add({17, 200, {}, {}, {{2, 0, 0}}, 0});  // no such core
  bench.add({18, kCopyCore, {}, {}, {}, 8});     // to it
  bench.load();
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t entry = 0; entry < bench.stages.size(); ++entry) {
      const Bytes data = random_bytes(bench.random, 20);
      const ActivationPacket header = token(bench.stages[entry].number, data.size(), entry);
      packets.push_back({packet_beats(header, data), bench.frame(1)});
      if (entry < 3 || entry == 5 || entry == 6) {
        reference.rejects(wact::kRejectStage);
      } else if (entry == 3) {
        reference.fails(entry, 1, kUnable, header, packets.back().frame);
      } else {
        reference.activate(entry, header, data, packets.back().frame);
      }
    }
    const ActivationPacket passed_on = poison(15, Code::kPeerLost, 9, 0);
    packets.push_back({packet_beats(passed_on, {}), bench.frame(1)});
    reference.rejects(wact::kRejectStage);
  }
  require_equal(bench.exchange(packets), reference.expected);
}

TEST_CASE("a chain's first beat waits for its plan, 9 cycles a stage, and its cores run at once") {
  Chains bench(5);
  const Bytes image = payload({9, 9, 1}, random_bytes(bench.random, 81));
  const auto measure = [&](std::uint32_t head) {
    bench.exchange({{packet_beats(token(bench.stages[head].number, image.size()), image), bench.frame(2)}});
    return bench.first_out.back() - bench.header_in.back();
  };
  const std::uint64_t alone = measure(bench.heads[1]), three = measure(bench.heads[4]);
  std::cout << "first beat out of a stage alone: " << alone << " cycles, of a chain of three: " << three << " cycles\n";
  REQUIRE(three <= alone + 18);
  const Bytes data = random_bytes(bench.random, 8000);
  const std::uint32_t head = bench.heads[6];
  bench.exchange({{packet_beats(token(bench.stages[head].number, data.size()), data), bench.frame(2)}});
  REQUIRE(bench.last_out[bench.last_out.size() - 2] - bench.first_out.back() + 1 == 8 + 1000);
}

}  // namespace
}  // namespace woa::test
