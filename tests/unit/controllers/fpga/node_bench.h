// A packet node on its wires: tables, packets and landing frames in, packets and completions out, with random stalls.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "controllers/fpga/generated/wact_interface.h"
#include "controllers/fpga/verilator/wact_model.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {

using Beats = std::vector<std::uint64_t>;

inline Beats beats_of(const Bytes& bytes) {
  Beats beats((bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(beats.data(), bytes.data(), bytes.size());
  return beats;
}

inline Beats packet_beats(const ActivationPacket& header, const Bytes& payload) {
  const auto head = std::bit_cast<std::array<std::uint64_t, 8>>(header);
  Beats beats(head.begin(), head.end());
  const Beats rest = beats_of(payload);
  beats.insert(beats.end(), rest.begin(), rest.end());
  return beats;
}

// One packet on its way in, with its landing frame.
struct PacketIn {
  Beats beats;
  Beats frame;
};

struct PacketOut {
  Beats beats;
  std::uint8_t user = 0;
};

struct Completion {
  std::uint32_t rejection = 0, fault = 0, entry = 0;
  bool ran = false;  // cores did, for some cycles
  bool last = true;
  std::size_t after = 0;  // packets that have left by then
};

struct Traffic {
  std::vector<PacketOut> packets;
  std::vector<Completion> completions;
};

// A port of a stage: extents, 0 where they vary, then up to `bound`. No extents: bytes.
struct Port {
  Dims dims;
  std::uint32_t bound = ~0u;
  std::uint32_t most_bytes = 0x7fffffff;

  [[nodiscard]] std::uint32_t variable() const {
    std::uint32_t bits = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) bits |= dims[d] == 0 ? 1u << d : 0;
    return bits;
  }
  [[nodiscard]] std::uint32_t extent(std::size_t axis) const {
    if (dims.empty() && axis == 0) return ~0u;
    return axis >= dims.size() ? 1 : dims[axis] != 0 ? dims[axis] : bound;
  }
};

struct Route {
  std::uint32_t stage = 0, port = 0, channel = 0;
  std::uint64_t keep = ~0ull, step = 0;
};

enum Core : std::uint32_t {
  kCopyCore = 0,
  kInvertCore = 1,
  kSharpenCore = 2,
  kShaCore = 3,
  kFdctCore = 4,
  kSusanCore = 5,
  kJoinCore = 6
};
enum Fault : std::uint32_t { kNoFault, kShape, kOutput, kLine, kUnable, kType, kPlace };

struct Stage {
  std::uint32_t number = 0, core = kCopyCore;
  Port in, out;
  std::vector<Route> routes;
  std::uint32_t next = 0;  // entry + 1
  std::array<std::uint32_t, 2> params{};
  std::optional<Port> second = {};  // input 1
};

inline std::array<std::uint32_t, wact::kEntryWords> stage_words(const Stage& stage, std::uint32_t first_route) {
  std::array<std::uint32_t, wact::kEntryWords> words{};
  words[wact::kStageNumber] = stage.number;
  words[wact::kStageFlags] = stage.core | stage.in.variable() << 8 | stage.out.variable() << 12 |
                             (stage.in.dims.empty() ? 1u << 18 : 0) | (stage.out.dims.empty() ? 1u << 19 : 0);
  words[wact::kStageRoutes] = first_route | static_cast<std::uint32_t>(stage.routes.size()) << 16;
  words[wact::kStageOutMax] = stage.out.most_bytes;
  words[wact::kStageInMax] = stage.in.most_bytes;
  words[wact::kStageNext] = stage.next;
  std::ranges::copy(stage.params, words.begin() + wact::kStageParams);
  for (std::size_t axis = 0; axis < 4; ++axis) {
    words[wact::kStageInDims + axis] = stage.in.extent(axis);
    words[wact::kStageOutDims + axis] = stage.out.extent(axis);
  }
  return words;
}

inline std::array<std::uint32_t, wact::kEntryWords> route_words(const Route& route) {
  std::array<std::uint32_t, wact::kEntryWords> words{};
  words[wact::kRouteStage] = route.stage;
  words[wact::kRoutePort] = route.port;
  words[wact::kRouteChannel] = route.channel;
  for (std::uint32_t half = 0; half < 2; ++half) {
    words[wact::kRouteKeep + half] = static_cast<std::uint32_t>(route.keep >> 32 * half);
    words[wact::kRouteStep + half] = static_cast<std::uint32_t>(route.step >> 32 * half);
  }
  return words;
}

// The line of input 1, behind those of the stages.
inline std::array<std::uint32_t, wact::kEntryWords> second_words(const Stage& stage, std::uint32_t first_route) {
  Stage second = stage;
  second.number |= 1u << 31;
  second.in = *stage.second;
  return stage_words(second, first_route);
}

// Routes lie in order of the stages. A model is a WactModel, or writes registers as it does.
void load_tables(auto& model, const std::vector<Stage>& stages) {
  std::uint32_t route = 0;
  const auto write = [&](std::uint32_t table, std::uint32_t entry, const auto& words) {
    for (std::uint32_t w = 0; w < words.size(); ++w) model.write(table + entry * wact::kEntryWords + w, words[w]);
  };
  auto lines = static_cast<std::uint32_t>(stages.size());
  for (std::uint32_t e = 0; e < stages.size(); ++e) {
    auto words = stage_words(stages[e], route);
    if (stages[e].second) {
      words[wact::kStageFlags] |= 1u << 20 | lines << 24;
      write(wact::kRegStageTable, lines++, second_words(stages[e], route));
    }
    write(wact::kRegStageTable, e, words);
    for (const Route& r : stages[e].routes) write(wact::kRegRouteTable, route++, route_words(r));
  }
  model.write(wact::kRegStages, lines);
}

// Percentages of the cycles in which a stream rests.
struct Stalls {
  std::uint32_t s = 0, l = 0, m = 0, c = 0;
};

class NodeBench {
 public:
  WactModel model;
  std::vector<Stage> stages;
  std::mt19937 random;
  Stalls stalls;
  std::uint64_t clock = 0;
  std::vector<std::uint64_t> header_in, first_out,
      last_out;  // clocks of packets: last beat of the header, first and last beat out

  explicit NodeBench(std::uint32_t seed) : random(seed) {}

  std::uint32_t add(Stage stage) {
    stages.push_back(std::move(stage));
    return static_cast<std::uint32_t>(stages.size() - 1);
  }
  void load() { load_tables(model, stages); }
  void reset() {
    model.reset();
    held_m_ = held_c_ = false;
  }
  // A landing beat that differs for every packet and route.
  Beats frame(std::size_t routes) {
    Beats beats(routes);
    for (auto& beat : beats) beat = (std::uint64_t{random()} << 32) | (random() & 0xffff0000u) | 1u;
    return beats;
  }

  // Sends the packets back to back and returns what came until the node was idle again.
  // `cycles` cuts it short.
  Traffic exchange(const std::vector<PacketIn>& packets, std::uint64_t cycles = ~0ull) {
    std::deque<std::pair<std::uint64_t, bool>> s, l;
    for (const PacketIn& packet : packets) {
      for (std::size_t b = 0; b < packet.beats.size(); ++b) {
        s.emplace_back(packet.beats[b], b + 1 == packet.beats.size());
      }
      for (std::size_t b = 0; b < packet.frame.size(); ++b) {
        l.emplace_back(packet.frame[b], b + 1 == packet.frame.size());
      }
    }
    Traffic traffic;
    PacketOut current;
    std::size_t word = 0;
    WactInput input;
    for (int quiet = 0; quiet < 100000; ++quiet, ++clock) {
      // AXI4-Stream: once valid, an offer stands until it is taken.
      input.s_tvalid = !s.empty() && (input.s_tvalid || !rests(stalls.s));
      input.l_tvalid = !l.empty() && (input.l_tvalid || !rests(stalls.l));
      if (!s.empty()) std::tie(input.s_tdata, input.s_tlast) = s.front();
      if (!l.empty()) std::tie(input.l_tdata, input.l_tlast) = l.front();
      input.m_tready = !rests(stalls.m);
      input.c_tready = !rests(stalls.c);
      const WactOutput output = model.cycle(input);
      if ((s.empty() && output.idle) || cycles-- == 0) return traffic;
      check_offer(output, input);
      if (output.m_tvalid && input.m_tready) {
        quiet = 0;
        if (current.beats.empty() && (output.m_tuser & wact::kUserFurtherRoute) == 0) first_out.push_back(clock);
        current.beats.push_back(output.m_tdata);
        current.user |= output.m_tuser;
        if (output.m_tlast) {
          last_out.push_back(clock);
          traffic.packets.push_back(std::exchange(current, {}));
        }
      }
      if (output.c_tvalid && input.c_tready) {
        quiet = 0;
        traffic.completions.push_back(completion(output, traffic.packets.size()));
      }
      if (input.l_tvalid && output.l_tready) {
        quiet = 0;
        input.l_tvalid = false;
        l.pop_front();
      }
      if (input.s_tvalid && output.s_tready) {
        quiet = 0;
        input.s_tvalid = false;
        if (word++ == 7) header_in.push_back(clock);
        if (s.front().second) word = 0;
        s.pop_front();
      }
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

 private:
  static Completion completion(const WactOutput& output, std::size_t after) {
    const auto low = static_cast<std::uint32_t>(output.c_tdata);
    const std::uint64_t cycles = output.c_tdata >> wact::kCompletionCycles;
    return {
        low & 0xff, (low >> wact::kCompletionFault) & 0xff, low >> wact::kCompletionEntry, cycles != 0, output.c_tlast,
        after};
  }
  bool rests(std::uint32_t percent) { return random() % 100 < percent; }

  // The node keeps AXI4-Stream's rule, too: what it offers holds still until it is taken.
  void check_offer(const WactOutput& output, const WactInput& input) {
    if (held_m_) {
      REQUIRE(output.m_tvalid);
      REQUIRE(output.m_tdata == last_.m_tdata);
      REQUIRE(output.m_tlast == last_.m_tlast);
      REQUIRE(output.m_tuser == last_.m_tuser);
    }
    if (held_c_) {
      REQUIRE(output.c_tvalid);
      REQUIRE(output.c_tdata == last_.c_tdata);
      REQUIRE(output.c_tlast == last_.c_tlast);
    }
    held_m_ = output.m_tvalid && !input.m_tready;
    held_c_ = output.c_tvalid && !input.c_tready;
    last_ = output;
  }

  bool held_m_ = false, held_c_ = false;
  WactOutput last_;
};

}  // namespace woa::test
