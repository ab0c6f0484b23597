// The first error after which a device does nothing more. Any thread.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>

#include "runtime/base/status.h"

namespace woa {

class DeviceFault {
 public:
  void report(Status status) {
    const std::lock_guard lock(mutex_);
    if (any()) return;
    status_ = std::move(status);
    any_.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_acquire); }
  // Does not change once there is any.
  [[nodiscard]] const Status& status() const noexcept { return status_; }

 private:
  std::mutex mutex_;
  Status status_;
  std::atomic<bool> any_{false};
};

}  // namespace woa
