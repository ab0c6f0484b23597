// Threads that do what a controller must not wait for: each call of work is one item, and items are taken in the order
// in which they were posted. A thread that finds nothing looks for a moment, then sleeps.
//
// While items take microseconds, one thread does them all, since waking another would take as long. While they take
// longer, because work waits for a card, each has a thread of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/base/status.h"

namespace woa {

class Movers {
 public:
  // `work` gets an item's number, from 0; several threads call it at once. It may block.
  explicit Movers(std::function<void(std::uint32_t item)> work) : work_(std::move(work)) {}
  // Works off what is posted.
  ~Movers();
  Movers(const Movers&) = delete;
  Movers& operator=(const Movers&) = delete;

  Status start(std::size_t threads);
  // One thread. All that it did before can be seen by `work`.
  void post() noexcept;
  // By the one that posts.
  [[nodiscard]] std::uint32_t posted() const noexcept { return posted_.load(std::memory_order_relaxed); }

 private:
  void serve() noexcept;
  bool next(std::uint32_t& item) noexcept;
  bool look(std::uint32_t& item) noexcept;
  [[nodiscard]] bool take(std::uint32_t& item) noexcept;
  [[nodiscard]] bool any() const noexcept { return taken_.load() != posted_.load(); }
  void wake_if_needed() noexcept;

  const std::function<void(std::uint32_t item)> work_;
  alignas(64) std::atomic<std::uint32_t> posted_{0};
  alignas(64) std::atomic<std::uint32_t> taken_{0};
  alignas(64) std::atomic<std::uint32_t> awake_{0};  // threads that work or look for an item
  std::atomic<bool> slow_{false};                    // the last item took long
  std::atomic<std::uint32_t> bell_{0};               // futex word of those that sleep
  std::atomic<bool> stopped_{false};
  alignas(64) std::atomic<std::uint32_t> looking_{0};  // of those awake; while items are quick post() reads none of it
  std::vector<std::jthread> threads_;                  // last: they use the rest
};

}  // namespace woa
