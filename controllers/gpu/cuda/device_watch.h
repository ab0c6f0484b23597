// A thread that looks at a device now and then, because a device that failed tells nobody.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "runtime/base/thread.h"
#include "runtime/transport/doorbell.h"

namespace woa {

class DeviceWatch {
 public:
  // `look` returns how many nanoseconds later it is to be called again.
  explicit DeviceWatch(std::function<std::uint64_t()> look)
      : look_(std::move(look)), thread_(make_thread<std::thread>([this] { work(); })) {}
  // It does not look any more.
  ~DeviceWatch() {
    stopped_.store(true, std::memory_order_release);
    look_now();
    thread_.join();
  }
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  void look_now() const noexcept { Doorbell(&line_).ring(); }

 private:
  void work() {
    for (const Doorbell bell(&line_);;) {
      bell.prepare();
      if (stopped_.load(std::memory_order_acquire)) return;
      bell.sleep(look_());
    }
  }

  const std::function<std::uint64_t()> look_;
  mutable DoorbellLine line_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;  // last: it uses the rest
};

}  // namespace woa
