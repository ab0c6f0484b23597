// A run on a device, whose controller and the host's share the calling thread: so a test sees what they do. Each input
// is kImageBytes of 'x', and an output of 'x' that is as long; sharpens() is such a plan.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/memory/by_instance.h"
#include "runtime/node/host_backend.h"
#include "runtime/node/hosted_controller.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/chain_plan.h"
#include "tests/support/kernel_yaml.h"

namespace woa::test {

inline constexpr std::uint64_t kSide = 16, kImageBytes = kSide * kSide;

// source -> `stages` stages of `sharpen3x3` on a device, which publishes if it can -> sink
inline Plan sharpens(std::uint32_t stages, std::string_view backend, bool resident = false) {
  Plan plan = chain_plan(stages, "sharpen3x3", 1);
  const KnownBackend& row = *find_backend(backend);
  plan.controllers[1] = make_controller(std::string(to_string(row.kind)) + ":0", row);
  const PortType image{"u8", {{"height", kSide, 0}, {"width", kSide, 0}, {"channels", 1, 0}}, kImageBytes};
  for (StagePlan& stage : plan.stages) {
    for (InputPortPlan& port : stage.inputs) port.type = image;
    for (OutputPortPlan& port : stage.outputs) port.type = image;
    if (stage.role != StageRole::kKernel) continue;
    stage.headers = row.traits.headers();
    if (plan.controllers[1].traits.publishes != Publisher::kHost)
      stage.publishes = resident ? Publisher::kWorker : Publisher::kQueue;
    stage.library = "libsharpen3x3.so";
    stage.variant = read_variant(WOA_BUILD_DIR "/kernels/sharpen3x3/kernel.yaml", std::string(row.variant));
    stage.variant.resident = resident;
  }
  return plan;
}

// Both controllers in this thread.
class RunInThisThread final : public InstanceObserver {
 public:
  // `pause` is called while there is nothing to do.
  explicit RunInThisThread(Plan plan, std::function<void()> pause = std::this_thread::yield)
      : plan_(std::move(plan)), pause_(std::move(pause)) {}
  Status start(std::unique_ptr<Backend> device) {
    auto segments = allocate_segments(layout_, 0, transport_);
    if (!segments.ok()) return segments.status();
    segments_ = std::move(*segments);
    auto host = std::make_unique<HostBackend>([this](std::uint64_t instance, std::span<const GraphOutput> outputs) {
      ++ended_;
      open_[instance] = false;
      while (oldest_ < admitted_ && !open_[oldest_]) ++oldest_;
      wrong_ = wrong_ || outputs[0].payload.size() != kImageBytes || outputs[0].payload[0] != std::byte{'x'};
      return HostBackend::Taken::kDone;
    });
    host_ = host.get();
    WOA_RETURN_IF_ERROR(add(kHostController, std::move(host)));
    return add(1, std::move(device));
  }
  // Runs so many instances more. kDeadlineExceeded: they have not ended after `limit_ns`.
  Status run(std::uint64_t instances, std::uint64_t limit_ns = 60'000'000'000) {
    const std::uint64_t end = now_ns() + limit_ns;
    for (const std::uint64_t last = ended_ + instances; ended_ < last;) {
      if (now_ns() > end) return {Code::kDeadlineExceeded, "the instances do not end"};
      if (admitted_ < last && admitted_ < oldest_ + plan_.window) admit();
      std::size_t done = 0;
      for (const auto& controller : controllers_) {
        done += controller->controller().do_work();
        WOA_RETURN_IF_ERROR(controller->controller().status());
        WOA_RETURN_IF_ERROR(failure_);
      }
      controllers_[0]->controller().retire(oldest_);
      if (done == 0) pause_();
    }
    return wrong_ ? Status(Code::kInternal, "an output is wrong") : Status();
  }

  // After a failure: the host's part of it alone.
  void take_what_was_sent() {
    while (controllers_[0]->controller().do_work() != 0) {
    }
  }
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }  // instances with outputs

  // The device's controller's.
  [[nodiscard]] Doorbell doorbell() const { return controllers_[1]->doorbell(); }

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
      std::fill_n(room.begin(), kImageBytes, std::byte{'x'});
      return Result<std::uint64_t>(kImageBytes);
    });
    open_[admitted_] = true;
    controllers_[0]->controller().admit(admitted_++, 0);
  }

  const Plan plan_;
  const std::function<void()> pause_;
  const Layout layout_ = make_layout(plan_);
  LoopbackTransport transport_;
  Segments segments_;
  HostBackend* host_ = nullptr;
  ByInstance<bool> open_{plan_.window};  // by instance
  std::uint64_t admitted_ = 0, oldest_ = 0, ended_ = 0;
  bool wrong_ = false;
  Status failure_;
  std::vector<std::unique_ptr<HostedController>> controllers_;  // last: they use the rest
};

}  // namespace woa::test
