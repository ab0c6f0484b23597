// A controller of an OpenCL device and its back-end allocate nothing and call no system per firing. What the library
// does is its own, and is printed.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>
#include <utility>

#include "controllers/gpu/opencl/opencl_backend.h"
#include "runtime/node/host_backend.h"
#include "runtime/node/hosted_controller.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/chain_plan.h"
#include "tests/support/kernel_yaml.h"
#include "tests/unit/controllers/opencl/own_calls.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStages = 3, kGpu = 1;
constexpr std::uint64_t kWarmUp = 64, kInstances = 256, kBytes = 4096;
constexpr int kAbsent = 77, kFailed = 1;

// source -> three stages of `invert` on an OpenCL device -> sink
Plan inverts() {
  Plan plan = chain_plan(kStages, "invert", 1);
  plan.controllers[kGpu] = make_controller("gpu:0", *find_backend("opencl"));
  for (StagePlan& stage : plan.stages) {
    for (InputPortPlan& port : stage.inputs) port.type.max_bytes = kBytes;
    for (OutputPortPlan& port : stage.outputs) port.type.max_bytes = kBytes;
    if (stage.role != StageRole::kKernel) continue;
    stage.library = "libinvert.so";
    stage.variant = read_variant(WOA_BUILD_DIR "/kernels/invert/kernel.yaml", "opencl");
  }
  return plan;
}

// Both controllers in this thread.
class InThisThread final : public InstanceObserver {
 public:
  Status start(std::unique_ptr<Backend> device) {
    auto segments = allocate_segments(layout_, 0, transport_);
    if (!segments.ok()) return segments.status();
    segments_ = std::move(*segments);
    auto host = std::make_unique<HostBackend>([this](std::uint64_t instance, std::span<const GraphOutput> outputs) {
      ++ended_;
      open_[instance % kMaxWindow] = false;
      while (oldest_ < admitted_ && !open_[oldest_ % kMaxWindow]) ++oldest_;
      wrong_ = wrong_ || outputs[0].payload.size() != kBytes || outputs[0].payload[0] != ~std::byte{'x'};
      return HostBackend::Taken::kDone;
    });
    host_ = host.get();
    WOA_RETURN_IF_ERROR(add(kHostController, std::move(host)));
    return add(kGpu, std::move(device));
  }
  // Runs so many instances more.
  Status run(std::uint64_t instances) {
    for (const std::uint64_t last = ended_ + instances; ended_ < last;) {
      if (admitted_ < last && admitted_ < oldest_ + plan_.window) admit();
      std::size_t done = 0;
      for (const auto& controller : controllers_) {
        done += controller->controller().do_work();
        WOA_RETURN_IF_ERROR(controller->controller().status());
        WOA_RETURN_IF_ERROR(failure_);
      }
      controllers_[0]->controller().retire(oldest_);
      if (done > 0) continue;
      const Elsewhere waiting;
      std::this_thread::yield();
    }
    return wrong_ ? Status(Code::kInternal, "an output is wrong") : Status();
  }

  void on_poisoned(std::uint64_t, Code code, std::uint32_t, std::string_view message) noexcept override {
    failure_ = {code, std::string(message)};
  }

 private:
  Status add(std::uint32_t id, std::unique_ptr<Backend> backend) {
    HostedControllerSetup setup;
    setup.plan = &plan_;
    setup.layout = &layout_;
    setup.id = id;
    setup.observer = id == kHostController ? this : nullptr;
    setup.backend = std::move(backend);
    setup.transports = {&transport_};
    setup.segments = &segments_;
    setup.kernel_path = {WOA_BUILD_DIR "/kernels"};
    auto made = HostedController::make(std::move(setup));
    if (made.ok()) controllers_.push_back(std::move(*made));
    return made.status();
  }
  void admit() {
    host_->set_inputs(admitted_, [](std::uint32_t, std::span<std::byte> room) {
      std::fill_n(room.begin(), kBytes, std::byte{'x'});
      return Result<std::uint64_t>(kBytes);
    });
    open_[admitted_ % kMaxWindow] = true;
    controllers_[0]->controller().admit(admitted_++, 0);
  }

  const Plan plan_ = inverts();
  const Layout layout_ = make_layout(plan_);
  LoopbackTransport transport_;
  Segments segments_;
  HostBackend* host_ = nullptr;
  std::array<bool, kMaxWindow> open_{};  // by instance
  std::uint64_t admitted_ = 0, oldest_ = 0, ended_ = 0;
  bool wrong_ = false;
  Status failure_;
  std::vector<std::unique_ptr<HostedController>> controllers_;  // last: they use the rest
};

int give_up(const Status& status, int code = kFailed) {
  std::snprintf(own_calls().error, sizeof own_calls().error, "%s", status.message().c_str());
  return code;
}

// In the child.
int count_firings() {
  if (const auto& probed = probe_devices(); !probed.ok()) return give_up(probed.status(), kAbsent);
  const OpenCl& cl = counted_cl();
  auto devices = list_devices(cl);
  if (!devices.ok()) return give_up(devices.status(), kAbsent);
  InThisThread running;
  Status status = running.start(std::make_unique<OpenClBackend>(cl, std::move(devices->front()), 2));
  if (status.ok()) status = running.run(kWarmUp);
  if (!status.ok()) return give_up(status);
  count_from_here();
  const std::uint64_t before = own_allocations();
  status = running.run(kInstances);
  own_calls().counting = false;
  own_calls().own_allocations = own_allocations() - before - own_calls().library_allocations;
  return status.ok() ? 0 : give_up(status);
}

}  // namespace

TEST_CASE("the counter tells own calls from others") {
  std::map<std::uint64_t, std::uint64_t> calls;
  own_calls().own_calls = &calls;
  REQUIRE(count_in_child([] {
            count_from_here();
            const std::uint64_t before = own_allocations();
            delete new volatile int;
            getppid();
            {
              const Elsewhere elsewhere;
              delete new volatile int;
              getppid();
              getppid();
            }
            own_calls().counting = false;
            own_calls().own_allocations = own_allocations() - before - own_calls().library_allocations;
            return 0;
          }) == 0);
  CHECK(std::exchange(own_calls().own_allocations, 0) == 1);
  CHECK(std::exchange(own_calls().library_allocations, 0) == 1);
  CHECK(calls == std::map<std::uint64_t, std::uint64_t>{{SYS_getppid, 1}});
  CHECK(std::exchange(own_calls().library_calls, 0) == 2);
}

TEST_CASE("firings of an OpenCL device cost no allocation and no system call of ours") {
  std::map<std::uint64_t, std::uint64_t> calls;
  own_calls().own_calls = &calls;
  const int end = count_in_child(count_firings);
  if (end == kAbsent) skip("opencl", own_calls().error);
  INFO(own_calls().error);
  REQUIRE(end == 0);
  constexpr double kFirings = kInstances * kStages;
  std::printf("of the library, per firing: %.2f allocations, %.2f system calls\n",
              static_cast<double>(own_calls().library_allocations) / kFirings,
              static_cast<double>(own_calls().library_calls) / kFirings);
  CHECK(own_calls().own_allocations == 0);
  CHECK(own_calls().callback_allocations == 0);
  CHECK(calls == std::map<std::uint64_t, std::uint64_t>{});
  CHECK(own_calls().library_allocations > 0);  // the table is the one that is used
}

}  // namespace woa::test
