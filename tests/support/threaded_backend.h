// A back-end whose kernels are C++ functions on threads of their own, several at once: completion comes later and in
// any order, as on a device.
#pragma once

#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/function_backend.h"

namespace woa::test {

class ThreadedBackend final : public Backend {
 public:
  static constexpr std::size_t kWorkers = 4;

  explicit ThreadedBackend(const Functions& functions) : functions_(functions) {}
  ~ThreadedBackend() override = default;  // joins
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) override {
    plan_ = &plan;
    wakeup_ = wakeup;
    return find_functions(functions_, stages);
  }
  Start start(Firing& firing) noexcept override {
    for (Worker& worker : workers_) {
      if (worker.firing != nullptr) continue;
      worker.firing = &firing;
      worker.thread = std::jthread([this, &firing] {
        const StagePlan& stage = plan_->stages[firing.stage];
        functions_.at(stage.kernel)(firing, stage);
        const std::lock_guard lock(mutex_);
        done_.push_back(&firing);
        wakeup_.ring();
      });
      return Start::kStarted;
    }
    return Start::kBusy;
  }
  std::size_t poll(std::span<Firing*> done) noexcept override {
    std::vector<Firing*> ended;
    {
      const std::lock_guard lock(mutex_);
      ended = std::exchange(done_, {});
    }
    std::size_t count = 0;
    for (Firing* firing : ended) {
      for (Worker& worker : workers_) {
        if (worker.firing == firing) worker.firing = nullptr;
      }
      done[count++] = firing;
    }
    return count;
  }

 private:
  struct Worker {
    Firing* firing = nullptr;
    std::jthread thread;
  };
  DeviceDescription description_{"function", "C++ functions on threads", false, "host", "none"};
  const Functions& functions_;
  const Plan* plan_ = nullptr;
  Doorbell wakeup_;
  std::mutex mutex_;
  std::vector<Firing*> done_;
  std::vector<Worker> workers_{kWorkers};  // last: its threads use the rest
};

}  // namespace woa::test
