#include "runtime/node/memory_limit.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/free_memory.h"

namespace woa {
namespace {

constexpr std::uint64_t kLeastPause_ns = 1'000'000;
constexpr std::uint64_t kPausePerLook = 100;  // so that looking takes a hundredth of a thread's time

}  // namespace

MemoryLimit::MemoryLimit(std::function<std::uint64_t()> written, std::uint64_t most)
    : ask_(std::move(written)), before_(ask_()), most_(most != 0 ? most : available_bytes() / 2) {}

bool MemoryLimit::admits(std::uint64_t others) noexcept {
  if (most_ == 0 || others == 0) return true;
  most_others_ = std::max(most_others_, others);
  if (now_ns() >= next_look_ns_) {
    const std::uint64_t before = written_;
    look();
    // In proportion: how much one instance writes is not known.
    if (written_ > std::max(most_, before)) at_once_ = std::max<std::uint64_t>(1, most_others_ * most_ / written_);
  }
  return others < at_once_;
}

void MemoryLimit::look() noexcept {
  if (!ask_) return;
  const std::uint64_t began = now_ns();
  written_ = std::max(ask_(), before_) - before_;
  const std::uint64_t now = now_ns();
  next_look_ns_ = now + std::max(kLeastPause_ns, kPausePerLook * (now - began));
}

}  // namespace woa
