#include "runtime/node/hosted_controller.h"

#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/catch.h"
#include "tests/support/chain_plan.h"
#include "tests/support/need.h"

namespace woa::test {
namespace {

// A device that says who writes its headers and who publishes its packets, and runs nothing.
class SayingBackend final : public Backend {
 public:
  explicit SayingBackend(const char* forwards, const char* publishes = "host")
      : description_{"saying", "a sentence", true, forwards, "none", publishes} {}
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan&, std::span<const LoadedStage>, Doorbell) override { return {}; }
  Start start(Firing&) noexcept override { return Start::kBusy; }
  std::size_t poll(std::span<Firing*>) noexcept override { return 0; }

 private:
  DeviceDescription description_;
};

Status hosting(const BackendTraits& traits, std::unique_ptr<Backend> backend) {
  Plan plan = chain_plan(2, "copy", 1);
  plan.controllers[1].traits = traits;
  for (StagePlan& stage : plan.stages)
    if (stage.role == StageRole::kKernel) stage.headers = plan.controllers[1].traits.headers();
  REQUIRE(validate(plan).message() == "");
  const Layout layout = make_layout(plan);
  LoopbackTransport transport;
  const Segments segments = need(allocate_segments(layout, 0, transport));
  HostedControllerSetup setup;
  setup.plan = &plan;
  setup.layout = &layout;
  setup.id = 1;
  setup.backend = std::move(backend);
  setup.transports = {&transport, {}};
  setup.segments = &segments;
  return HostedController::make(std::move(setup)).status();
}

Status hosting(const char* plan_says, const char* device_says) {
  return hosting({.writes_packets = plan_says == std::string("device")}, std::make_unique<SayingBackend>(device_says));
}

TEST_CASE("a device writes its packets as the plan says, or is refused with what to do") {
  CHECK(hosting("host", "host").message() == "");
  CHECK(hosting("device", "device").message() == "");
  for (const auto& [plan, device] : {std::pair{"device", "host"}, {"host", "device"}}) {
    const Status status = hosting(plan, device);
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.message() == std::string("cpu:0: back-end 'saying' has packet headers written by the ") + device +
                                  ", but the plan expects the " + plan +
                                  "; compile the graph again with this runtime: woa compile GRAPH -o PLAN");
  }
}

TEST_CASE("a device publishes packets as the plan says, or is refused with what to do") {
  CHECK(hosting({.publishes = Publisher::kQueue}, std::make_unique<SayingBackend>("host", "queue")).message() == "");
  const Status status = hosting({.publishes = Publisher::kQueue}, std::make_unique<SayingBackend>("host", "worker"));
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "cpu:0: back-end 'saying' has packets published by the worker, but the plan expects the queue; compile the "
        "graph again with this runtime: woa compile GRAPH -o PLAN");
}

TEST_CASE("a device that keeps no payloads is refused where the plan expects it") {
  const Status status = hosting({.memory = MemoryKind::kExtDev}, std::make_unique<SayingBackend>("host"));
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "cpu:0: back-end 'saying' keeps no payloads in its device, but the plan expects it; compile the graph again "
        "with this runtime: woa compile GRAPH -o PLAN");
}

}  // namespace
}  // namespace woa::test
