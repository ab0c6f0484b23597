#include "controllers/cpu/cpu_backend.h"

#include <string>
#include <utility>

#include "runtime/base/thread.h"

namespace woa {
namespace {

constexpr std::string_view kVariant = find_backend("cpu")->variant;

}  // namespace

CpuBackend::CpuBackend(DeviceDescription description, std::uint32_t workers, bool guarded)
    : description_(std::move(description)), guarded_(guarded), workers_(workers) {
  for (std::uint32_t i = 0; i < workers; ++i) workers_[i].number = i;
}

CpuBackend::~CpuBackend() {
  for (Worker& worker : workers_) {
    if (!worker.thread.joinable()) continue;
    worker.stopped.store(true);
    Doorbell(&worker.line).ring();
  }
}

Status CpuBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  wakeup_ = wakeup;
  stages_.resize(plan.stages.size());
  for (const LoadedStage& stage : stages) {
    if (stage.plan->variant.kind != kVariant || stage.kernel == nullptr || stage.kernel->run == nullptr) {
      return {Code::kUnsupported, "stage '" + stage.plan->name + "': kernel '" + stage.plan->kernel +
                                      "' has no cpu variant to run as '" + stage.plan->variant.kind + "'"};
    }
    stages_[stage.id] = stage;
  }
  for (Worker& worker : workers_) WOA_RETURN_IF_ERROR(worker.runner.reserve(stages, guarded_));
  return workers_.size() == 1 ? Status() : start_threads();
}

Status CpuBackend::start_threads() {
  for (Worker& worker : workers_) {
    const std::string what =
        "starting the thread of worker " + std::to_string(worker.number) + " of " + std::to_string(workers_.size());
    WOA_RETURN_IF_ERROR(start_thread(worker.thread, what, [this, &worker] { serve(worker); }));
  }
  return {};
}

Start CpuBackend::start(Firing& firing) noexcept {
  if (workers_.size() == 1) {
    workers_.front().runner.run(stages_[firing.stage], firing);
    return Start::kCompleted;
  }
  for (Worker& worker : workers_) {
    if (worker.state.load(std::memory_order_relaxed) != WorkerState::kIdle) continue;
    worker.firing = &firing;
    worker.state.store(WorkerState::kRunning, std::memory_order_release);
    Doorbell(&worker.line).ring();
    return Start::kStarted;
  }
  return Start::kBusy;
}

std::size_t CpuBackend::poll(std::span<Firing*> done) noexcept {
  std::size_t count = 0;
  const std::size_t workers = workers_.size();
  for (std::size_t looked = 0; looked < workers && count < done.size(); ++looked) {
    Worker& worker = workers_[next_worker_];
    next_worker_ = next_worker_ + 1 == workers ? 0 : next_worker_ + 1;
    if (worker.state.load(std::memory_order_acquire) != WorkerState::kDone) continue;
    done[count++] = worker.firing;
    worker.state.store(WorkerState::kIdle, std::memory_order_relaxed);
  }
  return count;
}

// Runs on the worker's own thread.
void CpuBackend::serve(Worker& worker) noexcept {
  const auto has_work = [&worker] { return worker.state.load(std::memory_order_acquire) == WorkerState::kRunning; };
  Idle idle(Doorbell(&worker.line), kHelperWaits);
  while (idle.wait_until([&] { return has_work() || worker.stopped.load(); }), has_work()) {
    worker.firing->worker = worker.number;
    worker.runner.run(stages_[worker.firing->stage], *worker.firing);
    worker.state.store(WorkerState::kDone, std::memory_order_release);
    wakeup_.ring();
  }
}

}  // namespace woa
