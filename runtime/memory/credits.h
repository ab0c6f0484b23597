// Rule 8 for one edge: how many of its blocks each instance occupies, and who may take another.
//
// The oldest instance in flight always finds b(e) blocks; the others together may occupy only what the edge has beyond
// b(e). As long as kernels end, the oldest instance therefore ends, and nothing deadlocks. One thread; no allocation
// after construction.
#pragma once

#include <cassert>
#include <cstdint>

#include "runtime/memory/by_instance.h"

namespace woa {

class EdgeCredits {
 public:
  EdgeCredits() = default;  // has none
  // min_blocks is b(e); blocks >= min_blocks >= 1. `window`: instances in flight at most.
  EdgeCredits(std::uint32_t min_blocks, std::uint32_t blocks, std::uint32_t window)
      : min_blocks_(min_blocks), blocks_(blocks), per_instance_(window) {}

  // May `instance` occupy so many blocks more, when `oldest` is the oldest in flight as far as this controller knows?
  [[nodiscard]] bool available(std::uint64_t instance, std::uint64_t oldest, std::uint32_t more = 1) const noexcept {
    if (more > blocks_ - total_) return false;
    if (instance == oldest) return true;
    return total_ - per_instance_[oldest] + more <= blocks_ - min_blocks_;
  }
  void take(std::uint64_t instance) noexcept {
    assert(total_ < blocks_);
    ++per_instance_[instance];
    ++total_;
  }
  // Takes one if available() says so; else false.
  [[nodiscard, gnu::always_inline]] bool take(std::uint64_t instance, std::uint64_t oldest) noexcept {
    if (!available(instance, oldest)) return false;
    take(instance);
    return true;
  }
  // Only the low 16 bits of `instance` count. False, and nothing changes, if that instance occupies none.
  [[nodiscard, gnu::always_inline]] bool give(std::uint64_t instance) noexcept {
    std::uint32_t& occupied = per_instance_[instance];
    if (occupied == 0) return false;
    --occupied;
    --total_;
    return true;
  }

  [[nodiscard]] std::uint32_t occupied() const noexcept { return total_; }
  [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }

 private:
  std::uint32_t min_blocks_ = 0, blocks_ = 0;
  std::uint32_t total_ = 0;
  ByInstance<std::uint32_t> per_instance_;
};

}  // namespace woa
