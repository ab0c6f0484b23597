// A chain of three stages within a node, and firings of it that any of the three may refuse, for whatever carries them.
#pragma once

#include <memory>
#include <random>

#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {

inline constexpr const char* kShapeText = "dimensions and payload size disagree";
inline constexpr const char* kOutputText = "result exceeds the output port's bounds";

struct ChainCase {
  static constexpr std::size_t kMiddle = 900, kLast = 600;  // bytes of the results of the second and the last stage
  static constexpr std::uint32_t kMostExtent = 24;          // 24 x 24 x 2 is beyond both

  FpgaPlan plan;
  std::uint32_t copies, inverts, sharpens;
  std::mt19937 random{7};

  explicit ChainCase(std::string_view backend) {
    plan.plan.controllers[kFpga] = make_controller("fpga:0", *find_backend(backend));
    const PortType picture = port_type("u8", {0, 0, 2}, 1 << 20, 300);
    copies = plan.add_stage("copy", picture);
    inverts = plan.add_stage("invert", picture, port_type("u8", {0, 0, 2}, kMiddle, 300));
    sharpens = plan.add_stage("sharpen3x3", port_type("u8", {0, 0, 2}), port_type("u8", {0, 0, 2}, kLast));
    plan.join(copies, inverts);
    plan.join(inverts, sharpens);
    plan.add_edge(sharpens, 2, 1, ~0ull, 5);
    plan.add_edge(sharpens, kSinkStage);
  }

  // An image, now and then one of a wrong size, or poison.
  std::unique_ptr<TestFiring> draw(std::uint64_t instance) {
    const std::uint32_t kind = below(random, 10);
    if (kind == 0) {
      const Bytes text = random_bytes(random, below(random, 100));
      return std::make_unique<TestFiring>(plan.plan, poison(copies, Code::kCancelled, 42, text.size(), instance), text,
                                          0);
    }
    const std::uint32_t height = 1 + below(random, kMostExtent), width = 1 + below(random, kMostExtent);
    const Bytes in =
        payload({height, width}, random_bytes(random, std::size_t{height} * width * 2 - (kind == 1 ? 1 : 0)));
    return std::make_unique<TestFiring>(plan.plan, token(copies, in.size(), instance, 3), in, 64 + kLast);
  }

  // `sequence`: of the packets that it sent.
  void check(const TestFiring& shot, std::uint32_t sequence) const {
    INFO(shot.firing.message << shot.joined[0]->message << shot.joined[1]->message);
    REQUIRE(!shot.firing.lost);
    if (shot.firing.poison) return check_poison(shot, sequence, shot.header, Code::kCancelled, 42, shot.in.size());
    std::array<std::uint32_t, 2> dims{};
    std::memcpy(dims.data(), shot.in.data(), sizeof dims);
    const Bytes image(shot.in.begin() + 64, shot.in.end());
    const std::size_t bytes = std::size_t{dims[0]} * dims[1] * 2;
    if (image.size() != bytes) return check_failed(shot, sequence, 0, Code::kInvalid, kShapeText);
    if (bytes > kMiddle) return check_failed(shot, sequence, 1, Code::kTooLarge, kOutputText);
    if (bytes > kLast) return check_failed(shot, sequence, 2, Code::kTooLarge, kOutputText);
    const Bytes out =
        payload({dims[0], dims[1]}, sharpen(invert(image), static_cast<int>(dims[0]), static_cast<int>(dims[1]), 2));
    REQUIRE(shot.output() == out);
    for (const FiringRoute& route : shot.firing.routes)
      REQUIRE(same(route.header, expected(plan.plan, route.edge, of(shot, sharpens), sequence, out.size(),
                                          TestFiring::landing(route.edge))));
    for (const Firing* const each : firings_of(shot)) {
      REQUIRE(each->code == Code::kOk);
      REQUIRE(each->cycles >= bytes / 8);
    }
  }

 private:
  static std::array<const Firing*, 3> firings_of(const TestFiring& shot) {
    return {&shot.firing, shot.joined[0], shot.joined[1]};
  }
  // The header of the firing as a packet that came to this stage, the origin of what leaves.
  static ActivationPacket of(const TestFiring& shot, std::uint32_t stage) {
    ActivationPacket header = shot.header;
    header.stage = stage;
    return header;
  }
  void check_poison(const TestFiring& shot, std::uint32_t sequence, const ActivationPacket& from, Code code,
                    std::uint32_t origin, std::size_t message_bytes) const {
    for (const FiringRoute& route : shot.firing.routes)
      REQUIRE(same(route.header, expected_poison(plan.plan, route.edge, from, sequence, code, origin, message_bytes)));
  }
  // The stage at `position` of the chain is to blame; those behind it did not run.
  void check_failed(const TestFiring& shot, std::uint32_t sequence, std::size_t position, Code code,
                    const std::string& message) const {
    const auto firings = firings_of(shot);
    for (std::size_t k = 0; k < firings.size(); ++k) {
      REQUIRE(firings[k]->code == (k == position ? code : Code::kOk));
      if (k > position) REQUIRE(firings[k]->cycles == 0);
    }
    REQUIRE(firings[position]->message == message);
    REQUIRE(!shot.firing.outputs[0].written);
    const std::uint32_t origin = shot.chain[position];
    check_poison(shot, sequence, of(shot, origin), code, origin, message.size());
  }
};

}  // namespace woa::test
