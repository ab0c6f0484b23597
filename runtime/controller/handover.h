// The controller's thread, or a worker, runs a firing that is neither brief nor long.
#pragma once

#include <cstdint>

namespace woa {

// A worker's firing costs this thread a sleep now and then, and a wake-up. So the thread keeps a firing while that
// costs more than the kernel takes: measured over kMeasured firings, and again after kMostKept that were kept. It also
// keeps one that is alone, which would be back no sooner; but not the kCrowdedFor after a token that had to wait for
// the thread.
class Handover {
 public:
  // `alone`: no other firing runs or waits.
  [[nodiscard]] bool keeps(std::uint64_t kernel_ns, bool alone) noexcept {
    if (kernel_ns < cost_ns_) {
      if (++kept_ < kMostKept) return true;
      kept_ = 0;
      cost_ns_ = 0;
    }
    if (!alone) return false;
    if (crowded_ == 0) return true;
    --crowded_;
    return false;
  }
  // A firing went to a worker.
  void note_given() noexcept {
    if (++given_ < kMeasured) return;
    cost_ns_ = sleeps_ * kSleepNs / kMeasured;
    given_ = sleeps_ = 0;
  }
  // The thread has slept while a worker had a firing.
  void note_sleep() noexcept { ++sleeps_; }
  // A token has had to wait until the thread was done with others.
  void note_waiting() noexcept { crowded_ = kCrowdedFor; }

 private:
  static constexpr std::uint32_t kCrowdedFor = 64, kMeasured = 64, kMostKept = 16'384;
  static constexpr std::uint64_t kSleepNs = 25'000;  // and waking it and a worker, where all share processors

  std::uint64_t cost_ns_ = 0;
  std::uint32_t given_ = 0, sleeps_ = 0, kept_ = 0, crowded_ = 0;
};

}  // namespace woa
