// A back-end whose firings end some polls after they began, in any order, without a thread, as on a device; a seed
// decides.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/function_backend.h"

namespace woa::test {

class LateBackend final : public Backend {
 public:
  static constexpr std::size_t kWorkers = 3;
  static constexpr unsigned kLongest = 6;  // polls

  // Both outlive it.
  LateBackend(const Functions& functions, std::mt19937& random) : functions_(functions), random_(random) {}
  const DeviceDescription& description() const noexcept override { return description_; }
  Status load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell) override {
    plan_ = &plan;
    return find_functions(functions_, stages);
  }
  Start start(Firing& firing) noexcept override {
    if (running_.size() == kWorkers) return Start::kBusy;
    running_.push_back({&firing, static_cast<unsigned>(random_() % kLongest)});
    return Start::kStarted;
  }
  // The kernel runs when its firing ends: before that no output is there.
  std::size_t poll(std::span<Firing*> done) noexcept override {
    std::size_t count = 0;
    std::shuffle(running_.begin(), running_.end(), random_);
    for (auto& [firing, polls] : running_) {
      if (polls-- > 0 || count == done.size()) continue;
      polls = 0;
      const StagePlan& stage = plan_->stages[firing->stage];
      functions_.at(stage.kernel)(*firing, stage);
      done[count++] = std::exchange(firing, nullptr);
    }
    std::erase_if(running_, [](const auto& running) { return running.first == nullptr; });
    return count;
  }
  [[nodiscard]] bool busy() const noexcept { return !running_.empty(); }

 private:
  DeviceDescription description_{"late", "C++ functions that end late", true, "host", "none"};
  const Functions& functions_;
  std::mt19937& random_;
  const Plan* plan_ = nullptr;
  std::vector<std::pair<Firing*, unsigned>> running_;
};

}  // namespace woa::test
