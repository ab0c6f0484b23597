// The model as a Backend: what a controller sees of it.
#include <chrono>
#include <thread>

#include "controllers/fpga/verilator/register.h"
#include "tests/support/catch.h"
#include "tests/unit/controllers/fpga/fpga_fixture.h"

namespace woa::test {
namespace {

std::unique_ptr<Backend> make_backend(const FpgaPlan& plan, Doorbell doorbell = {}) {
  auto made = verilator_factory().make(0, plan.plan.controllers[kFpga]);
  REQUIRE(made.ok());
  REQUIRE((*made)->load(plan.plan, plan.loaded, doorbell).ok());
  return std::move(*made);
}

Firing* wait_for(Backend& backend) {
  Firing* done = nullptr;
  while (backend.poll({&done, 1}) == 0) std::this_thread::yield();
  return done;
}

struct InvertPlan : FpgaPlan {
  std::uint32_t stage = add_stage("invert", port_type("bytes"));
  InvertPlan() { add_edge(stage, kSinkStage); }
};

TEST_CASE("the factory names one simulated device that writes its own headers") {
  const BackendFactory factory = verilator_factory();
  REQUIRE(factory.name == "verilator");
  REQUIRE(factory.kind == ControllerKind::kFpga);
  const auto devices = factory.probe();
  REQUIRE(devices.ok());
  REQUIRE(devices->size() == 1);
  const DeviceDescription& device = devices->front();
  REQUIRE(device.backend == "verilator");
  REQUIRE(device.device.find("RTL model") != std::string::npos);
  REQUIRE(device.simulated);
  REQUIRE(device.forwards == "device");
  REQUIRE(device.matches == "instance");
}

TEST_CASE("one firing at a time, completed by poll, with times and cycles") {
  InvertPlan plan;
  const auto backend = make_backend(plan);
  Firing* none = nullptr;
  REQUIRE(backend->poll({&none, 1}) == 0);
  for (std::uint32_t i = 1; i <= 20; ++i) {
    const Bytes data(i * 100, static_cast<std::uint8_t>(i));
    TestFiring shot(plan.plan, token(plan.stage, data.size(), i), data, data.size());
    TestFiring other(plan.plan, token(plan.stage, 0), {}, 64);
    REQUIRE(backend->start(shot.firing) == Start::kStarted);
    REQUIRE(backend->start(other.firing) == Start::kBusy);
    REQUIRE(wait_for(*backend) == &shot.firing);
    REQUIRE(backend->poll({&none, 1}) == 0);
    REQUIRE(shot.output() == invert(data));
    REQUIRE(shot.firing.routes[0].header.sequence == i);
    REQUIRE(shot.firing.ended_ns >= shot.firing.started_ns);
    REQUIRE(shot.firing.cycles >= data.size() / 8);
  }
}

TEST_CASE("a completion rings the controller") {
  InvertPlan plan;
  DoorbellLine line;
  const Doorbell doorbell(&line);
  const auto backend = make_backend(plan, doorbell);
  const Bytes data(1 << 20);
  TestFiring shot(plan.plan, token(plan.stage, data.size()), data, data.size());
  doorbell.prepare();
  REQUIRE(backend->start(shot.firing) == Start::kStarted);
  Firing* done = nullptr;
  while (backend->poll({&done, 1}) == 0) {
    doorbell.sleep(10'000'000'000);
    doorbell.prepare();
  }
  doorbell.cancel();
  REQUIRE(done == &shot.firing);
}

TEST_CASE("kernel failure and forwarded poison complete like any firing") {
  FpgaPlan plan;
  const std::uint32_t stage = plan.add_stage("sharpen3x3", port_type("u8", {0, 0, 0}));
  plan.add_edge(stage, kSinkStage);
  const auto backend = make_backend(plan);
  TestFiring fails(plan.plan, token(stage, 70), payload({2, 2, 2}, Bytes(6)), 128);
  REQUIRE(backend->start(fails.firing) == Start::kStarted);
  wait_for(*backend);
  REQUIRE(fails.firing.code == Code::kInvalid);
  REQUIRE(fails.firing.routes[0].header.payload_bytes == fails.firing.message.size());
  TestFiring passes(plan.plan, poison(stage, Code::kCancelled, 8, 3), {'a', 'b', 'c'}, 0);
  REQUIRE(backend->start(passes.firing) == Start::kStarted);
  wait_for(*backend);
  REQUIRE(passes.firing.code == Code::kOk);
  REQUIRE(
      same(passes.firing.routes[0].header, expected_poison(plan.plan, 0, passes.header, 2, Code::kCancelled, 8, 3)));
}

TEST_CASE("two models live side by side, and a backend ends with its last firing under way") {
  InvertPlan plan;
  auto first = make_backend(plan);
  const auto second = make_backend(plan);
  const Bytes data(1 << 20, 1);
  TestFiring a(plan.plan, token(plan.stage, data.size()), data, data.size());
  TestFiring b(plan.plan, token(plan.stage, 4), Bytes(4, 2), 64);
  REQUIRE(first->start(a.firing) == Start::kStarted);
  REQUIRE(second->start(b.firing) == Start::kStarted);
  REQUIRE(wait_for(*second) == &b.firing);
  REQUIRE(b.firing.routes[0].header.sequence == 1);
  first.reset();  // waits
  REQUIRE(a.output() == invert(data));
}

TEST_CASE("a backend that was never loaded can be dropped") {
  FpgaPlan plan;
  plan.add_edge(plan.add_stage("nothing", port_type("bytes")), kSinkStage);
  auto made = verilator_factory().make(0, plan.plan.controllers[kFpga]);
  REQUIRE((*made)->load(plan.plan, plan.loaded, {}).code() == Code::kUnsupported);
}

}  // namespace
}  // namespace woa::test
