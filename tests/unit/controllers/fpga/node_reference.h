// The packets that must come out of a packet node, computed from the definitions in controllers/fpga/README.md alone.
#pragma once

#include <map>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/node_bench.h"

namespace woa::test {

// Packets whose header is good, one after the other; a test names the reason of each bad one.
class NodeReference {
 public:
  explicit NodeReference(const std::vector<Stage>& stages) : stages_(stages) {}

  void rejects(std::uint32_t reason) {
    expected.completions.push_back({reason, 0, 0, false, true, expected.packets.size()});
  }
  // The result has begun when the input breaks off.
  void voids(std::uint32_t entry, const ActivationPacket& in, const Beats& frame) {
    const Stage& stage = stages_[last_of(entry)];
    expected.packets.push_back({packet_beats(header(stage, 0, in, frame, 0, false), {}), wact::kUserVoid});
    rejects(wact::kRejectLength);
  }
  void poison(std::uint32_t entry, const ActivationPacket& in, const Bytes& message, const Beats& frame) {
    waiting.erase({entry, in.instance});
    sends(entry, in, frame, message, true, in.status, in.origin);
    completes(entry, 0, kNoFault, false);
  }
  void activate(std::uint32_t entry, const ActivationPacket& in, const Bytes& payload, const Beats& frame) {
    Bytes data = payload;
    const Fault fault = run(stages_[entry], data);
    ends(entry, fault, std::move(data), in, frame);
  }
  // One of two packets: the first to come waits. False: it does, or was dropped.
  bool pair(std::uint32_t entry, const ActivationPacket& in, const Bytes& payload, const Beats& frame) {
    const Stage& stage = stages_[entry];
    Waiting one{in.port, kNoFault, payload, {}};
    one.fault = shape(in.port == 0 ? stage.in : *stage.second, one.data, one.dims);
    const auto place = waiting.find({entry, in.instance});
    if (place == waiting.end() && waiting.size() == kPlaces) return rejects(wact::kRejectPlaces), false;
    if (place == waiting.end()) {
      if (one.fault == kNoFault && one.data.size() > kPlaceBytes) one.fault = kPlace;
      waiting.insert({{entry, in.instance}, std::move(one)});
      return rejects(wact::kRejectHeld), false;
    }
    if (place->second.port == in.port) return rejects(wact::kRejectTwice), false;
    Waiting other = std::move(place->second);
    waiting.erase(place);
    const Fault fault = one.fault != kNoFault ? one.fault : other.fault;
    if (fault != kNoFault) return fails(entry, 0, fault, in, frame), true;
    if (in.port == 1) std::swap(one, other);
    const Fault result = stage.core == kJoinCore ? makes(stage, one.dims, one.data, other.data) : kUnable;
    ends(entry, result, std::move(one.data), in, frame);
    return true;
  }

  // The stage at `position` of the chain cannot run.
  void fails(std::uint32_t head, std::uint32_t position, Fault fault, const ActivationPacket& in, const Beats& frame) {
    std::uint32_t entry = head;
    for (std::uint32_t p = 0; p < position; ++p) entry = stages_[entry].next - 1;
    const std::string text = text_of(fault);
    sends(head, in, frame, {text.begin(), text.end()}, true, status_of(fault), stages_[entry].number);
    completes(head, position, fault, false);
  }

  Traffic expected;

  struct Waiting {
    std::uint32_t port = 0;
    Fault fault = kNoFault;
    Bytes data;
    std::array<std::uint32_t, 4> dims{};
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Waiting> waiting;  // by entry and instance
  static constexpr std::size_t kPlaces = 4, kPlaceBytes = 16384;

 private:
  // The first stage of a chain has made `data`, or cannot run.
  void ends(std::uint32_t head, Fault fault, Bytes data, const ActivationPacket& in, const Beats& frame) {
    std::uint32_t entry = head, position = 0;
    for (; fault == kNoFault && stages_[entry].next != 0; ++position) {
      entry = stages_[entry].next - 1;
      fault = run(stages_[entry], data);
    }
    if (fault != kNoFault) return fails(head, position, fault, in, frame);
    sends(head, in, frame, data, false, 0, stages_[entry].number);
    completes(head, 0, kNoFault, data.size() > (stages_[entry].out.variable() != 0 ? 64 : 0));
  }
  [[nodiscard]] std::uint32_t last_of(std::uint32_t entry) const {
    while (stages_[entry].next != 0) entry = stages_[entry].next - 1;
    return entry;
  }
  void completes(std::uint32_t entry, std::uint32_t failed, Fault fault, bool ran) {
    for (std::uint32_t position = 0;; ++position) {
      const std::uint32_t next = stages_[entry].next;
      expected.completions.push_back(
          {0, position == failed ? std::uint32_t{fault} : 0, entry, ran, next == 0, expected.packets.size()});
      if (next == 0) return;
      entry = next - 1;
    }
  }
  ActivationPacket header(const Stage& stage, std::size_t r, const ActivationPacket& in, const Beats& frame,
                          std::uint64_t bytes, bool poison) {
    const Route& route = stage.routes[r];
    ActivationPacket packet;
    packet.kind = static_cast<std::uint8_t>(poison ? PacketKind::kPoison : PacketKind::kActivate);
    packet.flags = poison && bytes != 0 ? std::uint8_t{kInline} : std::uint8_t{0};
    packet.stage = route.stage;
    packet.port = static_cast<std::uint16_t>(route.port);
    packet.instance = in.instance;
    packet.tag = (in.tag & route.keep) + route.step;
    packet.deadline = in.deadline;
    packet.origin = stage.number;
    packet.sequence = sequences_[route.channel] + 1;
    packet.payload_bytes = bytes;
    if (!poison) {
      packet.device = bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(frame[r]);
      packet.ordinal = bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(frame[r] >> 8);
      packet.region = static_cast<std::uint16_t>(frame[r] >> 16);
      packet.offset = static_cast<std::uint32_t>(frame[r] >> 32);
    }
    return with_crc(packet);
  }
  void sends(std::uint32_t entry, const ActivationPacket& in, const Beats& frame, const Bytes& payload, bool poison,
             std::uint8_t status, std::uint32_t origin) {
    const Stage& stage = stages_[last_of(entry)];
    for (std::size_t r = 0; r < stage.routes.size(); ++r) {
      ActivationPacket packet = header(stage, r, in, frame, payload.size(), poison);
      packet.status = status;
      packet.origin = origin;
      expected.packets.push_back({packet_beats(with_crc(packet), r == 0 ? payload : Bytes{}),
                                  r == 0 ? std::uint8_t{0} : std::uint8_t{wact::kUserFurtherRoute}});
      ++sequences_[stage.routes[r].channel];
    }
  }
  // Replaces a payload by the stage's result.
  static Fault run(const Stage& stage, Bytes& data) {
    std::array<std::uint32_t, 4> dims{};
    if (const Fault fault = shape(stage.in, data, dims); fault != kNoFault) return fault;
    return makes(stage, dims, data, {});
  }
  // Takes the prefix off a payload.
  static Fault shape(const Port& port, Bytes& data, std::array<std::uint32_t, 4>& dims) {
    std::array<std::uint32_t, 16> words{};
    const std::size_t prefix = port.variable() != 0 ? 64 : 0;
    if (data.size() < prefix) return kShape;
    if (prefix != 0) std::memcpy(words.data(), data.data(), prefix);
    data.erase(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(prefix));
    std::size_t used = 0;
    std::uint64_t volume = 1;
    bool bounded = data.size() <= port.most_bytes;
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const bool size = port.dims.empty() && axis == 0;
      dims[axis] = size                                 ? static_cast<std::uint32_t>(data.size())
                   : (port.variable() >> axis & 1) != 0 ? words[used++]
                                                        : port.extent(axis);
      bounded = bounded && dims[axis] <= port.extent(axis);
      volume = dims[axis] != 0 && volume > ~0ull / dims[axis] ? ~0ull : volume * dims[axis];
    }
    return !bounded || volume != data.size() ? kShape : kNoFault;
  }
  // Replaces an input by the result, with its prefix.
  static Fault makes(const Stage& stage, std::array<std::uint32_t, 4> dims, Bytes& data, const Bytes& second) {
    if (const Fault fault = core(stage, dims, data, second); fault != kNoFault) return fault;
    if (data.size() > stage.out.most_bytes) return kOutput;
    Bytes out(stage.out.variable() != 0 ? 64 : 0);
    bool beyond = false;
    std::size_t used = 0;
    for (std::size_t axis = 0; axis < 4 && !stage.out.dims.empty(); ++axis) {
      const bool varies = (stage.out.variable() >> axis & 1) != 0;
      if (!varies && dims[axis] != stage.out.extent(axis)) return kType;
      beyond = beyond || dims[axis] > stage.out.extent(axis);
      if (varies) std::memcpy(out.data() + 4 * used++, &dims[axis], 4);
    }
    out.insert(out.end(), data.begin(), data.end());
    data = std::move(out);
    return beyond ? kOutput : kNoFault;
  }
  static Fault core(const Stage& stage, std::array<std::uint32_t, 4>& dims, Bytes& data, const Bytes& second) {
    switch (stage.core) {
      case kCopyCore: return kNoFault;
      case kInvertCore: data = invert(std::move(data)); return kNoFault;
      case kJoinCore:
        data.insert(data.end(), second.begin(), second.end());
        dims = {static_cast<std::uint32_t>(data.size()), 1, 1, 1};
        return kNoFault;
      case kSharpenCore: break;
      default: return kUnable;
    }
    if (data.empty()) return kNoFault;
    if (dims[2] > 7) return kUnable;
    if (std::uint64_t{dims[1]} * dims[2] > 16384) return kLine;
    data = sharpen(data, static_cast<int>(dims[0]), static_cast<int>(dims[1]), static_cast<int>(dims[2]));
    return kNoFault;
  }
  static std::string text_of(Fault fault) {
    switch (fault) {
      case kShape: return "dimensions and payload size disagree";
      case kOutput: return "result exceeds the output port's bounds";
      case kLine: return "line longer than the core's line buffer";
      case kType: return "result lacks the output port's fixed dimensions";
      case kPlace: return "payload exceeds a place of the match table";
      default: return "shape not supported by the core";
    }
  }
  static std::uint8_t status_of(Fault fault) {
    switch (fault) {
      case kShape: return static_cast<std::uint8_t>(Code::kInvalid);
      case kOutput:
      case kPlace: return static_cast<std::uint8_t>(Code::kTooLarge);
      case kType: return static_cast<std::uint8_t>(Code::kBrokenContract);
      default: return static_cast<std::uint8_t>(Code::kUnsupported);
    }
  }

  const std::vector<Stage>& stages_;
  std::array<std::uint32_t, 64> sequences_{};
};

// Every packet and completion is as it should be. A void packet counts by its header: how much of its result left is
// chance.
inline void require_equal(const Traffic& traffic, const Traffic& expected) {
  for (std::size_t i = 0; i < std::min(traffic.packets.size(), expected.packets.size()); ++i) {
    INFO("packet " << i);
    const PacketOut &got = traffic.packets[i], &want = expected.packets[i];
    REQUIRE(got.user == want.user);
    if ((want.user & wact::kUserVoid) == 0) {
      REQUIRE(got.beats == want.beats);
    } else {
      REQUIRE(static_cast<std::uint32_t>(got.beats.at(5)) == static_cast<std::uint32_t>(want.beats[5]));
    }
  }
  REQUIRE(traffic.packets.size() == expected.packets.size());
  for (std::size_t i = 0; i < std::min(traffic.completions.size(), expected.completions.size()); ++i) {
    INFO("completion " << i);
    const Completion &got = traffic.completions[i], &want = expected.completions[i];
    REQUIRE(got.rejection == want.rejection);
    REQUIRE(got.fault == want.fault);
    REQUIRE(got.last == want.last);
    REQUIRE(got.ran == want.ran);
    REQUIRE(got.after >= want.after);
    if (want.rejection == 0) REQUIRE(got.entry == want.entry);
  }
  REQUIRE(traffic.completions.size() == expected.completions.size());
}

}  // namespace woa::test
