#include "runtime/node/hosted_controller.h"

#include <fstream>

#include "runtime/transport/shm/shm_transport.h"
#include "tests/support/catch.h"
#include "tests/support/mapped_backend.h"
#include "tests/support/need.h"
#include "tests/support/process_run.h"

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

// Calls of a back-end, and how many of its mappings were there when it went.
struct Calls {
  std::vector<std::string> names;
  std::size_t mappings = 0, still_mapped = 0;
};

// A device that keeps payloads, and refuses its mappings if it is told to.
class NotingBackend final : public Backend {
 public:
  NotingBackend(Calls& calls, bool refuses) : calls_(calls), refuses_(refuses) {}
  ~NotingBackend() override {
    for (const BackendMapping& mapping : mappings_) calls_.still_mapped += reach(mapping.bytes.data()).read ? 1 : 0;
  }
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan&, std::span<const LoadedStage>, Doorbell) override { return note("load"); }
  Status allocate(std::span<const DeviceRegion>) override { return note("allocate"); }
  Result<RegionNumbers> map(std::span<const BackendMapping> mappings) override {
    mappings_.assign(mappings.begin(), mappings.end());
    calls_.mappings = mappings.size();
    WOA_RETURN_IF_ERROR(note("map"));
    if (!refuses_) return RegionNumbers{};
    return {Code::kExhausted, mappings[0].what + ": the device registers no more than 0 bytes; raise ulimit -l"};
  }
  Start start(Firing&) noexcept override { return Start::kBusy; }
  std::size_t poll(std::span<Firing*>) noexcept override { return 0; }

 private:
  Status note(const char* call) {
    calls_.names.emplace_back(call);
    return {};
  }
  Calls& calls_;
  const bool refuses_;
  const DeviceDescription description_{"noting", "a list of calls", true};
  std::vector<BackendMapping> mappings_;
};

std::size_t mapped_files() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd") == std::string::npos ? 0 : 1;
  return count;
}

Status hosting(const BackendTraits& traits, std::unique_ptr<Backend> backend) {
  Plan plan = chain_plan(2, "copy", 1);
  plan.controllers[1].traits = traits;
  for (StagePlan& stage : plan.stages)
    if (stage.role == StageRole::kKernel) stage.headers = plan.controllers[1].traits.headers();
  REQUIRE(validate(plan).message() == "");
  const Layout layout = make_layout(plan);
  ShmTransport transport;
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

TEST_CASE("each back-end counts its own devices") {
  const auto device_of = [](std::uint32_t controller, std::initializer_list<std::pair<const char*, const char*>> all) {
    Plan plan = chain_plan(2, "copy", 1);
    plan.controllers.resize(1);
    for (const auto& [name, backend] : all) plan.controllers.push_back(make_controller(name, *find_backend(backend)));
    std::uint32_t found = 0;
    BackendRegistry backends;
    for (const char* const name : {"cuda", "opencl", "verilator"}) {
      BackendFactory factory{name, ControllerKind::kGpu, {}, {}};
      factory.make = [&](std::uint32_t ordinal, const ControllerPlan&) -> Result<std::unique_ptr<Backend>> {
        found = ordinal;
        return {Code::kUnavailable, "asked for"};
      };
      REQUIRE(backends.add(std::move(factory)).ok());
    }
    HostedControllerSetup setup;
    setup.plan = &plan;
    setup.id = controller;
    setup.backends = &backends;
    CHECK(HostedController::make(std::move(setup)).status().message() == "asked for");
    return found;
  };
  CHECK(device_of(2, {{"gpu:0", "cuda"}, {"gpu:1", "cuda"}}) == 1);
  CHECK(device_of(1, {{"gpu:1", "cuda"}}) == 1);  // whichever controllers a graph uses
  CHECK(device_of(1, {{"gpu:0", "opencl"}, {"gpu:1", "cuda"}}) == 0);
  CHECK(device_of(2, {{"gpu:0", "opencl"}, {"gpu:1", "cuda"}}) == 0);
  CHECK(device_of(4, {{"gpu:2", "opencl"}, {"gpu:1", "cuda"}, {"gpu:0", "opencl"}, {"gpu:3", "cuda"}}) == 1);
  CHECK(device_of(2, {{"fpga:0", "verilator"}, {"gpu:1", "cuda"}}) == 1);
}

TEST_CASE("a device that keeps no payloads is refused where the plan expects it") {
  const Status status = hosting({.memory = MemoryKind::kExtDev}, std::make_unique<SayingBackend>("host"));
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "back-end 'saying' keeps no payloads in its device, but the plan expects it; compile the graph again "
        "with this runtime: woa compile GRAPH -o PLAN");
}

TEST_CASE("mappings come last, are mapped until the back-end has gone, and a refusal ends the load") {
  const std::size_t files = mapped_files(), descriptors = open_descriptors();
  for (const bool refuses : {false, true}) {
    Calls calls;
    const Status status = hosting({.memory = MemoryKind::kExtDev}, std::make_unique<NotingBackend>(calls, refuses));
    CHECK(status.code() == (refuses ? Code::kExhausted : Code::kOk));
    CHECK(status.message() == (refuses ? "payloads of output 'in0' of stage 'source': the device registers no "
                                         "more than 0 bytes; raise ulimit -l"
                                       : ""));
    CHECK(calls.names == std::vector<std::string>{"load", "allocate", "map"});
    CHECK(calls.mappings == 2);  // the source's and b's; a's payloads lie in the device
    CHECK(calls.still_mapped == calls.mappings);
    CHECK(mapped_files() == files);
    CHECK(open_descriptors() == descriptors);
  }
}

}  // namespace
}  // namespace woa::test
