// The node with streams of 128 and 512 bits: packets begin with a beat, zeros fill their last one, and 8 bytes of
// padding are as good as none.
#include <Vwact_node_128.h>
#include <Vwact_node_512.h>
#include <verilated.h>

#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/node_reference.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kNumber = 3;

template <class Node, std::size_t kWords>  // 64-bit words of a beat
class WideBench {
 public:
  explicit WideBench(std::uint32_t seed) : random(seed) {
    stages = {{kNumber, kInvertCore, {}, {}, {{2, 1, 0}, {1, 0, 1}}, 0}};
    node_.rst = 1;
    clock();
    node_.rst = 0;
    while (clock(), !node_.idle) {
    }
    load_tables(*this, stages);
  }
  ~WideBench() { node_.final(); }
  WideBench(const WideBench&) = delete;
  WideBench& operator=(const WideBench&) = delete;

  void write(std::uint32_t address, std::uint32_t value) {
    node_.r_address = static_cast<std::uint16_t>(address);
    node_.r_wdata = value;
    node_.r_write = 1;
    clock();
    node_.r_write = 0;
  }

  // Packets leave as words, with the zeros that fill beats.
  Traffic exchange(const std::vector<PacketIn>& packets, std::uint32_t stall) {
    std::deque<std::pair<Beats, bool>> wide;
    std::deque<std::pair<std::uint64_t, bool>> landings;
    for (const PacketIn& packet : packets) {
      for (std::size_t at = 0; at < packet.beats.size(); at += kWords) {
        Beats beat(kWords, 0xbadbadbadbadbadbull);  // padding may be anything
        std::copy_n(packet.beats.begin() + static_cast<std::ptrdiff_t>(at), std::min(kWords, packet.beats.size() - at),
                    beat.begin());
        wide.emplace_back(beat, at + kWords >= packet.beats.size());
      }
      for (std::size_t b = 0; b < packet.frame.size(); ++b) {
        landings.emplace_back(packet.frame[b], b + 1 == packet.frame.size());
      }
    }
    Traffic traffic;
    PacketOut current;
    for (int quiet = 0; quiet < 10000; ++quiet) {
      node_.s_tvalid = !wide.empty() && (node_.s_tvalid || !rests(stall));
      node_.l_tvalid = !landings.empty() && (node_.l_tvalid || !rests(stall));
      if (!wide.empty()) offer(wide.front());
      if (!landings.empty()) std::tie(node_.l_tdata, node_.l_tlast) = landings.front();
      node_.m_tready = !rests(stall);
      node_.c_tready = !rests(stall);
      node_.clk = 0;
      node_.eval();
      if (wide.empty() && node_.idle) return traffic;
      if (node_.m_tvalid && node_.m_tready) take(current, traffic);
      if (node_.c_tvalid && node_.c_tready) ++completions;
      const bool s_taken = node_.s_tvalid && node_.s_tready, l_taken = node_.l_tvalid && node_.l_tready;
      if (s_taken || node_.m_tvalid) quiet = 0;
      clock();
      if (s_taken) wide.pop_front();
      if (l_taken) landings.pop_front();
      if (s_taken) node_.s_tvalid = 0;
      if (l_taken) node_.l_tvalid = 0;
    }
    FAIL("the node hangs");
    return {};
  }

  std::vector<Stage> stages;
  std::mt19937 random;
  std::size_t completions = 0;

 private:
  void clock() {
    node_.clk = 0;
    node_.eval();
    node_.clk = 1;
    node_.eval();
  }
  bool rests(std::uint32_t percent) { return random() % 100 < percent; }
  void offer(const std::pair<Beats, bool>& beat) {
    for (std::size_t w = 0; w < kWords; ++w) {
      node_.s_tdata[2 * w] = static_cast<std::uint32_t>(beat.first[w]);
      node_.s_tdata[2 * w + 1] = static_cast<std::uint32_t>(beat.first[w] >> 32);
    }
    node_.s_tlast = beat.second;
  }
  void take(PacketOut& current, Traffic& traffic) {
    for (std::size_t w = 0; w < kWords; ++w) {
      current.beats.push_back(node_.m_tdata[2 * w] | std::uint64_t{node_.m_tdata[2 * w + 1]} << 32);
    }
    if (!node_.m_tlast) return;
    current.user = node_.m_tuser;
    traffic.packets.push_back(std::exchange(current, {}));
  }

  struct OneThread : VerilatedContext {
    OneThread() { threads(1); }
  };
  OneThread context_;
  Node node_{&context_};
};

template <class Node, std::size_t kWords>
void check_width() {
  const std::uint32_t stall = GENERATE(0u, 50u);
  WideBench<Node, kWords> bench(stall);
  NodeReference reference(bench.stages);
  std::vector<PacketIn> packets;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Beats frame{1 | i << 32, 1 | i << 16};
    const Bytes data = random_bytes(bench.random, below(bench.random, 200));
    const ActivationPacket header = token(kNumber, data.size(), i);
    packets.push_back({packet_beats(header, data), frame});
    Beats& beats = packets.back().beats;
    const std::size_t wide_beats = (beats.size() + kWords - 1) / kWords;
    switch (below(bench.random, 6)) {
      case 0:  // a beat too many
        beats.resize((wide_beats + 1) * kWords);
        data.empty() ? reference.rejects(wact::kRejectLength) : reference.voids(0, header, frame);
        break;
      case 1:  // a beat too few
        if (beats.size() > kWords) beats.resize((wide_beats - 1) * kWords);
        if (beats.size() < 8 || (wide_beats > 1 && beats.size() == 8)) {
          reference.rejects(wact::kRejectLength);
        } else if (wide_beats > 1) {
          reference.voids(0, header, frame);
        } else {
          reference.activate(0, header, data, frame);
        }
        break;
      default: reference.activate(0, header, data, frame);
    }
  }
  for (PacketOut& packet : reference.expected.packets)
    packet.beats.resize((packet.beats.size() + kWords - 1) / kWords * kWords);
  Traffic traffic = bench.exchange(packets, stall);
  REQUIRE(bench.completions == reference.expected.completions.size());
  traffic.completions = reference.expected.completions;
  require_equal(traffic, reference.expected);
}

TEST_CASE("a node of 128 bits") { check_width<Vwact_node_128, 2>(); }
TEST_CASE("a node of 512 bits") { check_width<Vwact_node_512, 8>(); }

}  // namespace
}  // namespace woa::test
