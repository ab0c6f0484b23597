// Runs cpu variants: in the controller's own thread with one worker, in a thread for each worker otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "controllers/cpu/kernel_runner.h"
#include "runtime/controller/backend.h"
#include "runtime/transport/idle.h"

namespace woa {

class CpuBackend final : public Backend {
 public:
  // `guarded`: see KernelRunner::reserve().
  CpuBackend(DeviceDescription description, std::uint32_t workers, bool guarded = false);
  ~CpuBackend() override;  // blocks until the firings that run have ended
  CpuBackend(const CpuBackend&) = delete;
  CpuBackend& operator=(const CpuBackend&) = delete;

  const DeviceDescription& description() const noexcept override { return description_; }
  // Beside what Backend says, kExhausted: no memory for the scratch or no thread for a worker.
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override;
  [[nodiscard]] bool runs_in_call() const noexcept override { return workers_.size() == 1; }
  [[nodiscard]] Start start(Firing& firing) noexcept override;
  std::size_t poll(std::span<Firing*> done) noexcept override;

 private:
  enum class WorkerState : std::uint32_t { kIdle, kRunning, kDone };
  // Used where each worker has a thread. The controller owns `firing` in kIdle and kDone, the thread in kRunning;
  // `state` hands it over.
  struct alignas(64) Worker {
    DoorbellLine line;  // the thread sleeps on it
    std::atomic<WorkerState> state{WorkerState::kIdle};
    std::atomic<bool> stopped{false};
    Firing* firing = nullptr;
    std::uint32_t number = 0;
    KernelRunner runner;
    std::jthread thread;  // none with a single worker
  };
  void serve(Worker& worker) noexcept;
  Status start_threads();

  DeviceDescription description_;
  const bool guarded_;
  std::size_t next_worker_ = 0;      // poll() goes on here, so that no worker waits behind the others
  std::vector<LoadedStage> stages_;  // by number in the plan; `kernel` is null for those of other controllers
  Doorbell wakeup_;
  std::vector<Worker> workers_;  // last: their threads use the rest
};

}  // namespace woa
