#include "runtime/node/hosted_controller.h"

#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/base/processor.h"
#include "runtime/base/scalar.h"
#include "runtime/memory/pages.h"

namespace woa {
namespace {

constexpr std::uint64_t kLastFiringsNs = 200'000'000;  // for those of instances that are over, on a busy machine

Status make_backend(HostedControllerSetup& setup, const ControllerPlan& controller) {
  if (setup.backend != nullptr) return {};
  const BackendFactory* factory = setup.backends->find(controller.backend);
  if (factory == nullptr) return {Code::kUnavailable, "this program has no back-end '" + controller.backend + "'"};
  ControllerPlan counted = controller;  // by the node that runs it
  const std::size_t processors = setup.processors.empty() ? usable_processors() : setup.processors.size();
  if (counted.workers == kAllWorkers) counted.workers = static_cast<std::uint32_t>(processors);
  counted.workers = std::min(counted.workers, kMaxWorkers);
  auto made = factory->make(device_of(*setup.plan, controller), counted);
  if (!made.ok()) return made.status();
  setup.backend = std::move(*made);
  return {};
}

// kUnavailable is kept for devices and peers: a missing key or library of a kernel is an input to mend.
Status not_of_devices(const Status& status) {
  return {status.code() == Code::kUnavailable ? Code::kNotFound : status.code(), status.message()};
}

// Layout and transfers follow the plan's traits: a device that does otherwise would misread its channels.
Status check_traits(const ControllerPlan& controller, const DeviceDescription& device) {
  const auto check = [&](std::string_view what, std::string_view found, std::string_view expected) -> Status {
    if (found == expected) return {};
    return {Code::kUnsupported, controller.name + ": back-end '" + device.backend + "' has packet" + std::string(what) +
                                    " by the " + std::string(found) + ", but the plan expects the " +
                                    std::string(expected) +
                                    "; compile the graph again with this runtime: woa compile GRAPH -o PLAN"};
  };
  WOA_RETURN_IF_ERROR(check(" headers written", device.forwards, to_string(controller.traits.headers())));
  return check("s published", device.publishes, to_string(controller.traits.publishes));
}

}  // namespace

std::uint32_t device_of(const Plan& plan, const ControllerPlan& controller) {
  const auto number = [](const ControllerPlan& at) {
    return parse_digits(std::string_view(at.name).substr(at.name.find(':') + 1)).value_or(0);
  };
  const auto skipped = std::ranges::count_if(plan.controllers, [&](const ControllerPlan& other) {
    return other.kind == controller.kind && other.backend != controller.backend && number(other) < number(controller);
  });
  return static_cast<std::uint32_t>(number(controller) - static_cast<std::uint64_t>(skipped));
}

Result<std::unique_ptr<HostedController>> HostedController::make(HostedControllerSetup setup) {
  const Plan& plan = *setup.plan;
  std::unique_ptr<HostedController> hosted(new HostedController());
  WOA_RETURN_IF_ERROR(PinnedThread().pin(setup.processors));  // it could be, so that nothing starts in vain
  WOA_RETURN_IF_ERROR(make_backend(setup, plan.controllers[setup.id]));
  hosted->backend_ = std::move(setup.backend);
  WOA_RETURN_IF_ERROR(check_traits(plan.controllers[setup.id], hosted->backend_->description()));
  ControllerSetup out;
  WOA_RETURN_IF_ERROR(hosted->load_stages(setup, out.stages));
  auto wired = open_wiring(*setup.layout, setup.id, *setup.segments, setup.transports);
  if (!wired.ok()) return wired.status();
  hosted->doorbell_ = wired->doorbell;
  hosted->processors_ = std::move(setup.processors);
  if (hosted->processors_.empty()) hosted->of_others_ = wired->of_others;
  const std::size_t pinned = hosted->processors_.size(), workers = hosted->backend_->description().workers;
  hosted->crowded_ = pinned != 0 ? 1 + workers > pinned : plan.controllers.size() + workers > usable_processors();
  hosted->idle_ = Idle(wired->doorbell, setup.idle, wired->wiring.sleeper.get());
  WOA_RETURN_IF_ERROR(hosted->backend_->load(plan, out.stages, hosted->doorbell_));
  if (const auto regions = device_regions(*setup.layout, setup.id); !regions.empty())
    WOA_RETURN_IF_ERROR(hosted->backend_->allocate(regions));
  const auto mappings = backend_mappings(plan, *setup.layout, setup.id, *setup.segments, wired->wiring);
  for (std::size_t r = 0; r < setup.layout->regions.size(); ++r)
    if (setup.layout->regions[r].is_of_producer_alone()) hosted->own_memory_.push_back(wired->wiring.regions[r]);
  out.plan = &plan;
  out.layout = setup.layout;
  out.id = setup.id;
  out.backend = hosted->backend_.get();
  out.wiring = std::move(wired->wiring);
  out.observer = setup.observer;
  out.trace_limit = setup.trace_limit;
  out.activity = setup.activity;
  out.general_way = setup.general_way;
  auto controller = Controller::make(std::move(out));
  if (!controller.ok()) return controller.status();
  hosted->controller_ = std::move(*controller);  // and the mappings, which now outlive the back-end
  auto staged = hosted->backend_->map(mappings);
  if (!staged.ok()) return staged.status();
  hosted->staged_ = std::move(*staged);
  return hosted;
}

// Loads the kernels that this process runs, and finds the others.
Status HostedController::load_stages(const HostedControllerSetup& setup, std::vector<LoadedStage>& stages) {
  for (std::uint32_t s = 0; s < setup.plan->stages.size(); ++s) {
    const StagePlan& stage = setup.plan->stages[s];
    if (stage.controller != setup.id || stage.role != StageRole::kKernel) continue;
    LoadedStage& loaded = stages.emplace_back(LoadedStage{s, &stage});
    if (stage.library.empty() && stage.program_kernel == 0) continue;  // the back-end brings the kernel itself
    if (stage.isolated && stage.program_kernel == 0) {                 // worker processes load it
      auto folder = KernelLibrary::find(stage, setup.kernel_path);
      if (!folder.ok()) return not_of_devices(folder.status());
      loaded.folder = folder->string();
      continue;
    }
    if (!setup.activity.empty()) setup.activity.front().begin(s, RunningKernel::kLoading);
    auto library = KernelLibrary::load(stage, setup.kernel_path, setup.read_declaration, setup.program_kernels);
    if (!setup.activity.empty()) setup.activity.front().end();
    if (!library.ok()) return not_of_devices(library.status());
    const KernelLibrary& kernel = *kernels_.emplace_back(std::make_unique<KernelLibrary>(std::move(*library)));
    loaded.kernel = kernel.kernel();
    loaded.self = kernel.self();
    loaded.folder = kernel.folder().string();
    if (!stage.isolated) continue;
    const ProgramKernel& of_program = setup.program_kernels[stage.program_kernel - 1];
    loaded.sent = of_program.sent;
    loaded.attached = of_program.attached;
    loaded.brief_here = setup.brief_program_kernels_here;
  }
  return {};
}

std::uint64_t HostedController::own_bytes() const noexcept {
  std::uint64_t pages = 0;
  for (const std::span<std::byte> memory : own_memory_) pages += pages_in_memory(memory);
  return pages * page_bytes();
}

Status HostedController::run(const std::atomic<bool>& stop) {
  return or_no_memory([&] { return drive(stop); });
}

bool HostedController::workers_need_processors() const noexcept {
  return workers_told_ || std::ranges::any_of(of_others_, &Doorbell::workers_run);
}

Status HostedController::drive(const std::atomic<bool>& stop) {
  WOA_RETURN_IF_ERROR(pin_thread(processors_));
  while (!stop.load(std::memory_order_relaxed) && !controller_->ended()) {
    const std::size_t done = controller_->do_work();
    if (!controller_->status().ok()) return controller_->status();
    const bool workers_run = crowded_ && controller_->workers_run();
    if (workers_run != workers_told_) doorbell_.note_workers(workers_told_ = workers_run);
    const std::uint64_t sleeps = idle_.counts().sleeps;
    wait(done > 0, [&] { return stop.load() || controller_->do_work() > 0 || !controller_->status().ok(); });
    if (idle_.counts().sleeps != sleeps) controller_->note_sleep();
  }
  const std::uint64_t end = now_ns() + kLastFiringsNs;
  const auto over = [&] { return stop.load() || !controller_->complete_last(); };
  while (!over() && now_ns() < end) idle_.idle(false, over);
  doorbell_.note_workers(false);
  note_end();
  return {};
}

}  // namespace woa
