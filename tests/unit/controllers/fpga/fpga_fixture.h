// Plans, packets and reference kernels for the tests of the FPGA node. The kernels and the CRC here are written from
// their definitions alone, so that they share nothing with the code under test.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/plan/plan.h"

namespace woa::test {

using Bytes = std::vector<std::uint8_t>;
using Dims = std::vector<std::uint32_t>;

inline constexpr std::uint32_t kHost = 0, kCpu = 1, kFpga = 2;

// `element` alone, or element[dims]: 0 is a variable dimension.
inline PortType port_type(std::string element, Dims dims = {}, std::uint64_t max_bytes = 1 << 20,
                          std::uint32_t bound = 0) {
  PortType type{std::move(element), {}, max_bytes};
  for (const std::uint32_t dim : dims) {
    type.dims.push_back(dim != 0 ? Dimension{"", dim, 0} : Dimension{"d", 0, bound});
  }
  return type;
}

// host, cpu:0 and fpga:0; stage 0 is the source, 1 the sink, 2 runs on cpu:0. Stages under test follow.
struct FpgaPlan {
  Plan plan;
  std::vector<LoadedStage> loaded;

  FpgaPlan() {
    plan.controllers = {make_controller("host", *find_backend("host")), make_controller("cpu:0", *find_backend("cpu")),
                        make_controller("fpga:0", *find_backend("verilator"))};
    plan.stages.resize(3);
    plan.stages[2].controller = kCpu;
    plan.stages.reserve(64);  // loaded stages point into it
  }
  std::uint32_t add_stage(const std::string& core, const PortType& in, const PortType& out) {
    const auto id = static_cast<std::uint32_t>(plan.stages.size());
    StagePlan& stage = plan.stages.emplace_back();
    stage.name = core + std::to_string(id);
    stage.kernel = core;
    stage.variant.kind = "rtl";
    stage.variant.core = core;
    stage.controller = kFpga;
    stage.headers = HeaderWriter::kDevice;
    stage.inputs.push_back({"in", in, false, 0});
    stage.outputs.push_back({"out", out, -1});
    loaded.push_back({id, &stage, nullptr, nullptr});
    return id;
  }
  std::uint32_t add_stage(const std::string& core, const PortType& type) { return add_stage(core, type, type); }
  std::uint32_t add_pair_stage(const std::string& core, const PortType& first, const PortType& second,
                               const PortType& out) {
    const std::uint32_t id = add_stage(core, first, out);
    plan.stages[id].inputs.push_back({"second", second, false, 0});
    return id;
  }
  // An edge within the card.
  void join(std::uint32_t from, std::uint32_t to) { plan.edges[add_edge(from, to)].on_card = true; }
  std::uint32_t add_edge(std::uint32_t from, std::uint32_t to, std::uint32_t port = 0, std::uint64_t keep = ~0ull,
                         std::uint64_t step = 0) {
    EdgePlan edge;
    edge.from_stage = from;
    edge.to_stage = to;
    edge.to_port = port;
    edge.keep = keep;
    edge.step = step;
    plan.edges.push_back(edge);
    return static_cast<std::uint32_t>(plan.edges.size() - 1);
  }
};

inline std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

inline Bytes random_bytes(std::mt19937& random, std::size_t count) {
  Bytes bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// Dimension prefix and data.
inline Bytes payload(const Dims& variable, const Bytes& data) {
  const std::size_t prefix = variable.empty() ? 0 : 64;
  Bytes bytes(prefix + data.size());
  if (prefix != 0) std::memcpy(bytes.data(), variable.data(), variable.size() * 4);
  std::ranges::copy(data, bytes.begin() + static_cast<std::ptrdiff_t>(prefix));
  return bytes;
}

inline Bytes invert(Bytes data) {
  for (auto& byte : data) byte = static_cast<std::uint8_t>(255 - byte);
  return data;
}

// kernels/sharpen3x3/sharpen3x3.md
inline Bytes sharpen(const Bytes& image, int height, int width, int channels) {
  const auto at = [&](int y, int x, int c) {
    y = std::clamp(y, 0, height - 1);
    x = std::clamp(x, 0, width - 1);
    return static_cast<int>(image[static_cast<std::size_t>((y * width + x) * channels + c)]);
  };
  Bytes result;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int sum = 5 * at(y, x, c) - at(y - 1, x, c) - at(y + 1, x, c) - at(y, x - 1, c) - at(y, x + 1, c);
        result.push_back(static_cast<std::uint8_t>(std::clamp(sum, 0, 255)));
      }
    }
  }
  return result;
}

// CRC-32C of bytes 0 to 59, bit by bit.
inline std::uint32_t plain_crc(const ActivationPacket& packet) {
  const auto bytes = std::bit_cast<std::array<std::uint8_t, 64>>(packet);
  std::uint32_t crc = ~0u;
  for (int i = 0; i < 60; ++i) {
    crc ^= bytes[static_cast<std::size_t>(i)];
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1u) != 0 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
  }
  return ~crc;
}

inline ActivationPacket with_crc(const ActivationPacket& header) {
  ActivationPacket packet = header;
  packet.flags = static_cast<std::uint8_t>(packet.flags | kHeaderCrc);
  packet.crc32c = plain_crc(packet);
  return packet;
}

// A token for `stage`, as it comes from a host channel.
inline ActivationPacket token(std::uint32_t stage, std::uint64_t payload_bytes, std::uint64_t instance = 7,
                              std::uint64_t tag = 0) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.stage = stage;
  packet.instance = instance;
  packet.tag = tag;
  packet.deadline = 0x0123456789abcdefull;
  packet.sequence = 99;
  packet.origin = 0;
  packet.device = payload_bytes == 0 ? std::uint8_t{0} : std::uint8_t{1};
  packet.region = 5;
  packet.offset = 1234;
  packet.payload_bytes = payload_bytes;
  return with_crc(packet);
}

inline ActivationPacket poison(std::uint32_t stage, Code code, std::uint32_t origin, std::uint64_t message_bytes,
                               std::uint64_t instance = 7, std::uint64_t tag = 0) {
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  packet.flags = message_bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
  packet.status = static_cast<std::uint8_t>(code);
  packet.stage = stage;
  packet.origin = origin;
  packet.instance = instance;
  packet.tag = tag;
  packet.payload_bytes = message_bytes;
  return with_crc(packet);
}

// The packet that must leave on `edge` for `in`; `landing` is the place of the consumer's block.
struct Landing {
  std::uint16_t region = 0;
  std::uint32_t offset = 0;
};
inline ActivationPacket expected(const Plan& plan, std::uint32_t edge, const ActivationPacket& in,
                                 std::uint32_t sequence, std::uint64_t payload_bytes, Landing landing) {
  const EdgePlan& route = plan.edges[edge];
  ActivationPacket packet;
  packet.kind = static_cast<std::uint8_t>(PacketKind::kActivate);
  packet.stage = route.to_stage;
  packet.port = static_cast<std::uint16_t>(route.to_port);
  packet.instance = in.instance;
  packet.tag = (in.tag & route.keep) + route.step;
  packet.deadline = in.deadline;
  packet.origin = in.stage;
  packet.sequence = sequence;
  packet.device = payload_bytes == 0 ? std::uint8_t{0} : std::uint8_t{1};
  packet.region = landing.region;
  packet.offset = landing.offset;
  packet.payload_bytes = payload_bytes;
  return with_crc(packet);
}
inline ActivationPacket expected_poison(const Plan& plan, std::uint32_t edge, const ActivationPacket& in,
                                        std::uint32_t sequence, Code code, std::uint32_t origin,
                                        std::uint64_t message_bytes) {
  ActivationPacket packet = expected(plan, edge, in, sequence, message_bytes, {});
  packet.kind = static_cast<std::uint8_t>(PacketKind::kPoison);
  packet.flags = message_bytes == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(kInline);
  packet.status = static_cast<std::uint8_t>(code);
  packet.origin = origin;
  packet.device = 0;
  packet.crc32c = 0;
  return with_crc(packet);
}

inline bool same(const ActivationPacket& a, const ActivationPacket& b) {
  return std::bit_cast<std::array<std::uint8_t, 64>>(a) == std::bit_cast<std::array<std::uint8_t, 64>>(b);
}

// A firing with everything it points to.
struct TestFiring {
  ActivationPacket header;
  Bytes in, second;
  std::vector<std::byte> block;
  std::array<woa_input, 2> input_views{};
  woa_output output_view{};
  std::array<PortMemory, 3> memory;
  std::uint64_t prefix = 0;          // bytes of the output's dimensions
  std::vector<std::uint32_t> chain;  // the first stage, and those joined to it
  std::vector<std::unique_ptr<Firing>> behind;
  std::vector<Firing*> joined;
  Firing firing;

  TestFiring(const Plan& plan, const ActivationPacket& packet, Bytes input, std::size_t block_bytes,
             Bytes second_input = {})
      : header(packet), in(std::move(input)), second(std::move(second_input)), block(block_bytes) {
    firing.stage = packet.stage;
    firing.instance = packet.instance;
    firing.tag = packet.tag;
    firing.message.reserve(192);
    chain = {packet.stage};
    for (const EdgePlan& edge : plan.edges) {  // in order of the chain
      if (!edge.on_card || edge.from_stage != chain.back()) continue;
      chain.push_back(edge.to_stage);
      behind.push_back(std::make_unique<Firing>());
      behind.back()->stage = edge.to_stage;
      joined.push_back(behind.back().get());
    }
    firing.joined = joined;
    if (packet.kind == static_cast<std::uint8_t>(PacketKind::kPoison)) {
      firing.poison = true;
      firing.poison_header = packet;
      firing.message.assign(in.begin(), in.end());
    } else {
      const StagePlan& stage = plan.stages[packet.stage];
      const std::uint64_t in_prefix = stage.inputs[0].type.prefix_bytes();
      in.reserve(in_prefix);  // a payload may be shorter than its dimensions, yet the block is there
      input_views[0].data = in.data() + in_prefix;
      input_views[0].bytes = in.size() - in_prefix;  // wraps where a test cuts the dimensions
      input_views[1].data = second.data();
      input_views[1].bytes = second.size();
      prefix = plan.stages[chain.back()].outputs[0].type.prefix_bytes();
      output_view.data = reinterpret_cast<std::uint8_t*>(block.data()) + prefix;
      firing.inputs = std::span(input_views).first(stage.inputs.size());
      firing.outputs = {&output_view, 1};
      firing.input_memory = std::span(memory).first(stage.inputs.size());
      firing.output_memory = {memory.data() + 2, 1};
      firing.packet = &header;
    }
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
      if (plan.edges[e].from_stage != chain.back()) continue;
      firing.routes.push_back(
          {e, firing.poison ? std::uint16_t{0} : landing(e).region, firing.poison ? 0 : landing(e).offset, {}});
    }
  }
  static Landing landing(std::uint32_t edge) {
    return {static_cast<std::uint16_t>(edge + 3), (edge + 1) * 0x01020304u};
  }
  Bytes output() const {
    const auto* data = reinterpret_cast<const std::uint8_t*>(block.data());
    return {data, data + prefix + firing.outputs[0].bytes};
  }
};

}  // namespace woa::test
