// The back-end on the double: random packets, bit for bit.
#include <deque>
#include <random>
#include <thread>

#include "controllers/fpga/xrt/register.h"
#include "runtime/memory/pages.h"
#include "tests/support/need.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kMost = 20'000;  // bytes of a payload
constexpr std::uint32_t kPackets = 1000, kAtOnce = 16;

// Stages of each core, with one edge to the sink and one to cpu:0. Half of all blocks lie in a registered region.
struct RandomRig {
  FpgaPlan plan;
  std::uint32_t copy, invert, sharpen;
  std::unique_ptr<Mapping> blocks;
  std::unique_ptr<Backend> backend;

  RandomRig() {
    plan.plan.controllers[kFpga] = make_controller("fpga:0", *find_backend("xrt"));
    copy = plan.add_stage("copy", port_type("bytes", {}, kMost));
    invert = plan.add_stage("invert", port_type("bytes", {}, kMost));
    sharpen = plan.add_stage("sharpen3x3", port_type("u8", {0, 0, 0}, kMost));
    for (const std::uint32_t stage : {copy, invert, sharpen}) {
      plan.add_edge(stage, kSinkStage);
      plan.add_edge(stage, 2, 0, 0xff00, 3);
    }
    const std::uint64_t block = plan.plan.stages[sharpen].outputs[0].type.block_bytes();
    blocks = need(map_pages(-1, whole_pages(2 * kAtOnce * block), Access::kReadWrite));
    backend = need(xrt_factory().make(0, plan.plan.controllers[kFpga]));
    const Status loaded = backend->load(plan.plan, plan.loaded, {});
    INFO(loaded.message());
    REQUIRE(loaded.ok());
    const std::vector<std::uint32_t> stages{copy, invert, sharpen};
    const std::array mappings{
        BackendMapping{blocks->bytes(), Access::kReadWrite, true, 0, "blocks", stages, 0, block, block},
        BackendMapping{{}, Access::kReadWrite, false, 1, "other blocks", stages, 0, block, block}};
    REQUIRE(backend->map(mappings).ok());
  }
  std::span<std::byte> block(std::size_t number) {
    const std::size_t bytes = plan.plan.stages[sharpen].outputs[0].type.block_bytes();
    return blocks->bytes().subspan(number * bytes, bytes);
  }
};

// A firing with its answer by the reference.
struct RandomFiring : TestFiring {
  RandomFiring(const Plan& plan, const ActivationPacket& packet, const Bytes& input)
      : TestFiring(plan, packet, input, plan.stages[packet.stage].outputs[0].type.block_bytes()) {}

  // Lets both payloads lie in these blocks.
  void lie_at(std::span<std::byte> in_block, std::span<std::byte> out_block) {
    std::memcpy(in_block.data(), in.data(), in.size());
    woa_input& input = input_views[0];
    input.data = reinterpret_cast<const std::uint8_t*>(in_block.data()) + (input.data - in.data());
    output_view.data = reinterpret_cast<std::uint8_t*>(out_block.data()) + prefix;
    place = out_block.data();
  }
  Bytes result() const {
    const auto* data = reinterpret_cast<const std::uint8_t*>(place);
    return {data, data + prefix + firing.outputs[0].bytes};
  }
  const std::byte* place = block.data();
  Bytes answer;  // payload; of poison its message
};

std::unique_ptr<RandomFiring> draw(RandomRig& rig, std::mt19937& random, std::uint64_t instance) {
  const std::uint32_t kind = below(random, 4);
  if (kind == 3) {
    const Bytes text = random_bytes(random, below(random, 150));
    auto firing = std::make_unique<RandomFiring>(
        rig.plan.plan, poison(rig.invert, Code::kCancelled, 8, text.size(), instance, random()), text);
    firing->answer = text;
    return firing;
  }
  const std::uint32_t stage = kind == 0 ? rig.copy : kind == 1 ? rig.invert : rig.sharpen;
  const auto bytes = below(random, 3) == 0 ? below(random, 200) : below(random, kMost);
  Bytes in = random_bytes(random, bytes), answer = kind == 0 ? in : invert(in);
  if (kind == 2) {
    const Dims dims{1 + below(random, 60), 1 + below(random, 80), 1 + below(random, 3)};
    in = random_bytes(random, dims[0] * dims[1] * dims[2]);
    answer =
        payload(dims, sharpen(in, static_cast<int>(dims[0]), static_cast<int>(dims[1]), static_cast<int>(dims[2])));
    in = payload(dims, in);
  }
  auto firing = std::make_unique<RandomFiring>(rig.plan.plan, token(stage, in.size(), instance, random()), in);
  firing->answer = answer;
  return firing;
}

void check(const Plan& plan, const RandomFiring& done, std::uint32_t sequence) {
  INFO("instance " << done.header.instance << ": " << done.firing.message);
  REQUIRE(done.firing.code == Code::kOk);
  if (!done.firing.poison) REQUIRE(done.result() == done.answer);
  for (const FiringRoute& route : done.firing.routes) {
    const ActivationPacket expect =
        done.firing.poison
            ? expected_poison(plan, route.edge, done.header, sequence, Code::kCancelled, 8, done.answer.size())
            : expected(plan, route.edge, done.header, sequence, done.answer.size(), TestFiring::landing(route.edge));
    REQUIRE(same(route.header, expect));
  }
}

TEST_CASE("1,000 random packets are bit-exact, headers and payloads, wherever the payloads lie") {
  RandomRig rig;
  std::mt19937 random(28);
  std::deque<std::unique_ptr<RandomFiring>> under_way;
  std::uint32_t ended = 0;
  const auto take = [&] {
    Firing* done = nullptr;
    if (rig.backend->poll({&done, 1}) == 0) return std::this_thread::yield();
    REQUIRE(done == &under_way.front()->firing);
    check(rig.plan.plan, *under_way.front(), ++ended);
    under_way.pop_front();
  };
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    under_way.push_back(draw(rig, random, i));
    RandomFiring& firing = *under_way.back();
    if (!firing.firing.poison && below(random, 2) == 0)
      firing.lie_at(rig.block(2 * (i % kAtOnce)), rig.block(2 * (i % kAtOnce) + 1));
    for (;;) {
      const Start start = rig.backend->start(firing.firing);
      INFO(firing.firing.message);
      REQUIRE(start != Start::kCompleted);
      if (start == Start::kStarted) break;
      take();
    }
  }
  while (ended < kPackets) take();
}

}  // namespace
}  // namespace woa::test
