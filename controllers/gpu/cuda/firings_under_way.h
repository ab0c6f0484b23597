// The firings of one agent of a device that runs them in order: a queue, or a resident worker.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "controllers/gpu/cuda/driver_calls.h"
#include "runtime/controller/backend.h"

namespace woa {

class CountingStream;

// A place in a stream that shows how far a firing is.
struct StreamMark {
  static constexpr auto kNever = ~std::uint64_t{0};
  CountingStream* stream = nullptr;
  std::uint64_t number = 0;
};

struct Launch {
  Firing* firing = nullptr;
  std::uint64_t order = 0;                // of its start, among all of the device; from 1
  std::vector<StreamMark> marks;          // all reached: complete
  std::vector<DriverCalls::Copy> copies;  // room for the most that a firing needs; the driver has their addresses
};

// Oldest first. One thread; look() alone is for any.
class FiringsUnderWay {
 public:
  // Takes room for `places` firings, with so many marks and copies each. Later calls allocate nothing.
  void reserve(std::size_t places, std::size_t marks, std::size_t copies) {
    launches_.resize(places);
    for (Launch& launch : launches_) {
      launch.marks.reserve(marks);
      launch.copies.reserve(copies);
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool full() const noexcept { return size_ == launches_.size(); }
  [[nodiscard]] Launch& oldest() noexcept { return launches_[first_]; }
  // The number of its place, below `places`.
  [[nodiscard]] std::size_t place_of(const Launch& launch) const noexcept {
    return static_cast<std::size_t>(&launch - launches_.data());
  }
  Launch& begin(Firing& firing, std::uint64_t order) noexcept {
    Launch& launch = launches_[(first_ + size_++) % launches_.size()];
    launch.firing = &firing;
    launch.order = order;
    launch.marks.clear();
    launch.copies.clear();
    if (size_ == 1) show_oldest();
    return launch;
  }
  Firing& end_oldest() noexcept {
    Firing& firing = *oldest().firing;
    first_ = (first_ + 1) % launches_.size();
    --size_;
    show_oldest();
    return firing;
  }

  struct Seen {
    std::uint64_t order = 0, instance = 0;
    std::uint32_t stage = 0;
  };
  // The oldest one; nothing if there is none, or if it changes at this moment.
  [[nodiscard]] std::optional<Seen> look() const noexcept {
    const Seen seen{order_.load(std::memory_order_acquire), instance_.load(std::memory_order_acquire),
                    stage_.load(std::memory_order_acquire)};
    if (seen.order == 0 || order_.load(std::memory_order_acquire) != seen.order) return std::nullopt;
    return seen;
  }

 private:
  void show_oldest() noexcept {
    order_.store(0, std::memory_order_release);
    if (size_ == 0) return;
    instance_.store(oldest().firing->instance, std::memory_order_release);
    stage_.store(oldest().firing->stage, std::memory_order_release);
    order_.store(oldest().order, std::memory_order_release);
  }

  std::vector<Launch> launches_;
  std::size_t first_ = 0, size_ = 0;
  std::atomic<std::uint64_t> order_{0}, instance_{0};
  std::atomic<std::uint32_t> stage_{0};
};

}  // namespace woa
