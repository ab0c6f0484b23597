// Rule 8 for one edge: how many of its blocks each instance occupies, and who may take another.
//
// The oldest instance in flight always finds b(e) blocks; the others together may occupy only what the edge has beyond
// b(e). As long as kernels end, the oldest instance therefore ends, and nothing deadlocks. One thread; no allocation.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

namespace woa {

class EdgeCredits {
 public:
  // min_blocks is b(e); blocks >= min_blocks >= 1.
  EdgeCredits(std::uint32_t min_blocks, std::uint32_t blocks) noexcept : min_blocks_(min_blocks), blocks_(blocks) {}

  // May `instance` occupy so many blocks more, when `oldest` is the oldest in flight as far as this controller knows?
  [[nodiscard]] bool available(std::uint64_t instance, std::uint64_t oldest, std::uint32_t more = 1) const noexcept {
    if (more > blocks_ - total_) return false;
    if (instance == oldest) return true;
    return total_ - per_instance_[oldest % kSlots] + more <= blocks_ - min_blocks_;
  }
  void take(std::uint64_t instance) noexcept {
    assert(total_ < blocks_);
    ++per_instance_[instance % kSlots];
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
    std::uint32_t& occupied = per_instance_[instance % kSlots];
    if (occupied == 0) return false;
    --occupied;
    --total_;
    return true;
  }

  [[nodiscard]] std::uint32_t occupied() const noexcept { return total_; }
  [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }

 private:
  static constexpr std::uint32_t kSlots = 64;  // at most kMaxWindow instances are in flight
  std::uint32_t min_blocks_, blocks_;
  std::uint32_t total_ = 0;
  std::array<std::uint32_t, kSlots> per_instance_{};
};

}  // namespace woa
