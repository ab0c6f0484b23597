// The cores of bench/mibench on the node's wires, against the cpu variants of their kernels, bit for bit.
#include <cmath>
#include <iostream>

#include "tests/support/catch.h"
#include "tests/support/kernel_under_test.h"
#include "tests/unit/controllers/fpga/node_bench.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStage = 3;

// A node with one stage, and the kernel's cpu variant.
class CoreUnderTest : public NodeBench {
 public:
  CoreUnderTest(const std::string& kernel, const Params& params, Core core, const Port& in, const Port& out,
                std::array<std::uint32_t, 2> words = {})
      : NodeBench(core), cpu_(library(kernel), params, {Room{0, static_cast<std::uint32_t>(out.dims.size())}}) {
    Stage stage;
    stage.number = kStage;
    stage.core = core;
    stage.in = in;
    stage.out = out;
    stage.routes = {{2, 1, 0}};
    stage.params = words;
    add(std::move(stage));
    load();
  }

  // Sends the tokens back to back, each behind one that breaks off at a place of its own, and compares the results.
  void require_equal(const std::vector<Token>& tokens) {
    std::vector<PacketIn> packets;
    std::vector<Beats> expected;
    for (const Token& token : tokens) {
      const Answer answer = cpu_.run({token}, {Room{4 * token.data.size() + 64, rank()}});
      INFO(answer.message);
      REQUIRE(answer.status == WOA_OK);
      expected.push_back(beats_of(payload(varying(stages[0].out, answer.outs[0]->dims), answer.outs[0]->data)));
      PacketIn whole = packet(token), cut = whole;
      cut.beats.resize(std::min<std::size_t>(cut.beats.size() - 1, 9 + below(random, 40)));
      if (cut.beats.size() > 8) packets.push_back(std::move(cut));
      packets.push_back(std::move(whole));
    }
    Traffic traffic = exchange(packets);
    std::erase_if(traffic.packets, [](const PacketOut& out) { return (out.user & wact::kUserVoid) != 0; });
    REQUIRE(traffic.packets.size() == tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      INFO("token " << i << " of " << tokens[i].data.size() << " bytes");
      Beats& beats = traffic.packets[i].beats;
      beats.erase(beats.begin(), beats.begin() + 8);  // other tests look at headers
      REQUIRE(beats == expected[i]);
    }
  }

  // The core refuses it by this fault, and what the core cannot, the cpu variant cannot either, or it says so itself.
  void require_refused(const Token& token, Fault fault, bool by_cpu = true) {
    INFO(token.data.size() << " bytes");
    REQUIRE((cpu_.size({token}).status != WOA_OK) == by_cpu);
    const Traffic traffic = exchange({packet(token)});
    REQUIRE(traffic.completions.size() == 1);
    REQUIRE(traffic.completions[0].fault == fault);
  }

  // Cycles from the first beat of the payload to the last beat of the result.
  std::uint64_t cycles(const Token& token) {
    stalls = {};
    exchange({packet(token)});
    return last_out.back() - header_in.back();
  }

  std::vector<Stalls> some_stalls() const { return {{}, {50, 50, 50, 50}, {90, 0, 20, 0}, {20, 0, 90, 0}}; }

 private:
  static std::string library(const std::string& kernel) {
    return WOA_BUILD_DIR "/mibench/kernels/" + kernel + "/lib" + kernel + ".so";
  }
  [[nodiscard]] std::uint32_t rank() const { return static_cast<std::uint32_t>(stages[0].out.dims.size()); }
  static Dims varying(const Port& port, const Dims& dims) {
    Dims found;
    for (std::size_t axis = 0; axis < port.dims.size(); ++axis) {
      if (port.dims[axis] == 0) found.push_back(dims[axis]);
    }
    return found;
  }
  PacketIn packet(const Token& token) {
    const Bytes data = payload(varying(stages[0].in, token.dims), token.data);
    return {packet_beats(test::token(kStage, data.size()), data), frame(1)};
  }

  KernelUnderTest cpu_;
};

TEST_CASE("sha_block equals its cpu variant") {
  constexpr std::size_t kState = 20, kBlock = 64;
  const std::uint32_t sha1 = GENERATE(0u, 1u);
  CoreUnderTest core("sha_block", {{"algorithm", sha1 == 1 ? "sha1" : "sha0"}}, kShaCore, {}, {}, {sha1, 0});
  std::vector<Token> tokens;
  for (const std::size_t blocks : {0, 1, 2, 3, 10, 128})
    tokens.push_back({random_bytes(core.random, kState + blocks * kBlock)});
  for (int i = 0; i < 10; ++i) tokens.push_back({random_bytes(core.random, kState + below(core.random, 5) * kBlock)});
  tokens.push_back({Bytes(kState + kBlock, 0)});
  tokens.push_back({Bytes(kState + kBlock, 255)});
  for (const Stalls& stalls : core.some_stalls()) {
    core.stalls = stalls;
    core.require_equal(tokens);
  }
  for (const std::size_t bytes : {0, 1, 19, 21, 24, 64, 83, 85, 128, 147}) {
    core.require_refused({random_bytes(core.random, bytes)}, kUnable);
  }
  core.require_equal({tokens[1]});
  const std::uint64_t few = core.cycles(tokens[1]), many = core.cycles(tokens[5]);
  std::cout << "sha_block: " << static_cast<double>(many - few) / 127 << " cycles a block, " << few << " for one\n";
}

// Noise, extremes, noise of two extremes, one value: 4 kinds.
Bytes picture(std::mt19937& random, std::size_t bytes, std::uint32_t kind) {
  Bytes data = random_bytes(random, bytes);
  for (auto& byte : data) {
    if (kind == 1) byte = static_cast<std::uint8_t>(byte % 32 + 100);
    if (kind == 2) byte = byte % 2 == 0 ? 255 : 0;
    if (kind == 3) byte = 255;
  }
  return data;
}

TEST_CASE("jpeg_fdct equals its cpu variant") {
  const std::uint32_t table = GENERATE(0u, 1u), quality = GENERATE(1u, 2u, 25u, 49u, 50u, 75u, 99u, 100u);
  CoreUnderTest core("jpeg_fdct",
                     {{"table", table == 1 ? "chrominance" : "luminance"}, {"quality", std::to_string(quality)}},
                     kFdctCore, {{0, 0}}, {{0, 0, 64}}, {table, quality});
  const auto plane = [&](std::uint32_t rows, std::uint32_t columns, std::uint32_t kind) {
    return Token{picture(core.random, std::size_t{64} * rows * columns, kind), {8 * rows, 8 * columns}};
  };
  const std::uint64_t first = core.cycles(plane(1, 1, 0)), next = core.cycles(plane(1, 1, 0));
  std::vector<Token> tokens{plane(1, 1, 0), plane(0, 3, 0), plane(2, 0, 0), plane(0, 600, 0)};
  for (std::uint32_t i = 0; i < 12; ++i)
    tokens.push_back(plane(1 + below(core.random, 4), 1 + below(core.random, 6), i % 4));
  // The largest coefficients there are: a sample is 255 where the cosine of its frequency is positive, else 0.
  for (std::uint32_t frequency = 0; frequency < 8; ++frequency) {
    Token& extreme = tokens.emplace_back(plane(8, 1, 3));
    for (std::uint32_t sample = 0; sample < 8 * 64; ++sample) {
      const auto negative = [](std::uint32_t place, std::uint32_t turns) {
        return std::cos((2 * place + 1) * turns * 3.14159265358979 / 16) < 0;
      };
      const std::uint32_t x = sample % 8, y = sample / 8 % 8, block = sample / 64;
      if (negative(x, frequency) != negative(y, block)) extreme.data[sample] = 0;
    }
  }
  for (const Stalls& stalls : core.some_stalls()) {
    core.stalls = stalls;
    core.require_equal(tokens);
  }
  core.require_refused({Bytes(63), {9, 7}}, kUnable);
  core.require_refused({Bytes(72), {8, 9}}, kUnable);
  core.require_refused({{}, {0, 9}}, kUnable);
  core.require_refused({Bytes(8 * 4104), {8, 4104}}, kLine, false);
  if (quality != 75 || table != 0) return;
  core.stalls = {};
  core.require_equal({plane(1, 512, 0), plane(2, 512, 1)});  // lines as long as the core's buffer
  const std::uint64_t small = core.cycles(plane(8, 8, 0)), large = core.cycles(plane(16, 8, 0));
  std::cout << "jpeg_fdct: " << static_cast<double>(large - small) / 64 << " cycles a block, " << small
            << " for 64 x 64, " << first - next << " more where the divisors are new\n";
}

TEST_CASE("susan_response equals its cpu variant") {
  CoreUnderTest core("susan_response", {}, kSusanCore, {{0, 0}}, {{0, 0}});
  const auto scene = [&](std::uint32_t height, std::uint32_t width, std::uint32_t kind) {
    return Token{picture(core.random, std::size_t{height} * width, kind), {height, width}};
  };
  std::vector<Token> tokens;
  for (std::uint32_t width = 7; width <= 17; ++width) tokens.push_back(scene(7 + width % 3, width, width % 4));
  for (std::uint32_t i = 0; i < 20; ++i)
    tokens.push_back(scene(7 + below(core.random, 30), 7 + below(core.random, 60), i % 4));
  for (const Stalls& stalls : core.some_stalls()) {
    core.stalls = stalls;
    core.require_equal(tokens);
  }
  core.stalls = {};
  core.require_equal({scene(7, 4096, 1), scene(8, 4095, 2), scene(900, 7, 1)});  // lines as long as the core's buffer
  for (const Dims& dims : {Dims{6, 7}, Dims{7, 6}, Dims{0, 7}, Dims{0, 0}, Dims{1, 1}}) {
    core.require_refused({Bytes(std::size_t{dims[0]} * dims[1]), dims}, kUnable);
  }
  core.require_refused({Bytes(7 * 4097), {7, 4097}}, kLine, false);
  core.require_equal({tokens[0]});
  const std::uint64_t small = core.cycles(scene(64, 64, 0)), large = core.cycles(scene(128, 64, 0));
  std::cout << "susan_response: " << static_cast<double>(large - small) / (64 * 64) << " cycles a pixel, " << small
            << " for 64 x 64\n";
}

}  // namespace
}  // namespace woa::test
