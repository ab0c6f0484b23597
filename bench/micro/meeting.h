// A barrier for the two processes of a benchmark.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <span>

#include "runtime/measure/spin.h"

namespace woa::bench {

using namespace measure;

// Each process has a copy, of the same shared memory.
class Meeting {
 public:
  static constexpr std::size_t kBytes = 64;

  // `memory`: shared, zeroed, aligned to 64 bytes.
  explicit Meeting(std::span<std::byte> memory) : arrived_(new (memory.data()) std::atomic<std::uint32_t>(0)) {}

  // Returns when both processes have come; until then calls `meanwhile`. False: the other process does not come.
  template <class Meanwhile>
  [[nodiscard]] bool meet(Meanwhile&& meanwhile) {
    arrived_->fetch_add(1, std::memory_order_acq_rel);
    all_ += 2;
    return spin_until([&] {
      meanwhile();
      return arrived_->load(std::memory_order_acquire) >= all_;
    });
  }
  [[nodiscard]] bool meet() {
    return meet([] {});
  }

 private:
  std::atomic<std::uint32_t>* arrived_;
  std::uint32_t all_ = 0;
};

}  // namespace woa::bench
