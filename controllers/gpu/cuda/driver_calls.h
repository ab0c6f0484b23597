// Functions that threads of the driver call for a back-end, and the memory that they touch. All of it outlives the
// context: a call that has begun there ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <deque>
#include <mutex>
#include <shared_mutex>

#include "runtime/transport/doorbell.h"

namespace woa {

// Once it is closed, these threads touch no firing's memory any more, and ring no bell.
class DriverCalls {
 public:
  // Bytes that move between pinned memory and memory that is not registered.
  struct Copy {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
    DriverCalls* calls = nullptr;
  };
  // A stream's.
  struct Bell {
    explicit Bell(DriverCalls& of) noexcept : calls(of) {}
    DriverCalls& calls;
    std::atomic<bool> will_ring{false};
  };

  void set_wakeup(Doorbell wakeup) noexcept { wakeup_ = wakeup; }
  [[nodiscard]] Bell& add_bell() { return bells_.emplace_back(*this); }

  // Host functions of streams; their argument is a Copy, or a Bell.
  static void run_copy(void* copy) noexcept {
    const Copy& self = *static_cast<const Copy*>(copy);
    const std::shared_lock lock(self.calls->mutex_);
    if (!self.calls->closed_) std::memcpy(self.to, self.from, self.bytes);
  }
  // Work enqueued after the flag is down gets a bell of its own: the owner wakes up first, and asks for one.
  static void ring(void* bell) noexcept {
    Bell& self = *static_cast<Bell*>(bell);
    const std::shared_lock lock(self.calls.mutex_);
    self.will_ring.store(false, std::memory_order_release);
    if (!self.calls.closed_) self.calls.wakeup_.ring();
  }

  // Waits for those that are at it.
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

 private:
  std::shared_mutex mutex_;
  bool closed_ = false;
  Doorbell wakeup_;
  std::deque<Bell> bells_;
};

}  // namespace woa
