// Memory of one controller, its owner, that other controllers update.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/messaging/onesided/update.h"
#include "runtime/transport/shared_memory.h"

namespace woa::onesided {

// An element's value after an operation. Internal to runtime/messaging/onesided.
template <Element Word>
constexpr Word changed(Operation operation, Word old, Word operand, Word expected) noexcept {
  switch (operation) {
    case Operation::kPut: return operand;
    case Operation::kSum:
    case Operation::kFetchAdd: return old + operand;
    case Operation::kXor: return old ^ operand;
    case Operation::kMin: return std::min(old, operand);
    case Operation::kMax: return std::max(old, operand);
    case Operation::kCompareSwap: return old == expected ? operand : old;
  }
  return old;
}

// For an `element` that nobody else writes or reads meanwhile. Returns the old value.
template <Element Word>
Word perform_alone(Operation operation, Word& element, Word operand, Word expected) noexcept {
  const Word old = element;
  element = changed(operation, old, operand, expected);
  return old;
}

// For an `element` that others may update at the same time, also from other processes. Returns the old value if the
// operation fetches, else anything. Relaxed: no order between different elements is promised (updater.h).
template <Element Word>
Word perform_atomically(Operation operation, Word& element, Word operand, Word expected) noexcept {
  static_assert(std::atomic_ref<Word>::is_always_lock_free, "the element is shared by processes");
  std::atomic_ref<Word> shared(element);
  switch (operation) {
    case Operation::kPut: shared.store(operand, std::memory_order_relaxed); return 0;
    case Operation::kSum:
    case Operation::kFetchAdd: return shared.fetch_add(operand, std::memory_order_relaxed);
    case Operation::kXor: shared.fetch_xor(operand, std::memory_order_relaxed); return 0;
    case Operation::kMin:
    case Operation::kMax: {
      Word old = shared.load(std::memory_order_relaxed);
      Word wanted = changed(operation, old, operand, expected);
      while (wanted != old && !shared.compare_exchange_weak(old, wanted, std::memory_order_relaxed))
        wanted = changed(operation, old, operand, expected);
      return old;
    }
    case Operation::kCompareSwap:
      shared.compare_exchange_strong(expected, operand, std::memory_order_relaxed);
      return expected;
  }
  return 0;
}

// The writers of a region's memory. Fixed when the region is made, because it decides how the owner applies packets: an
// update that is not atomic must never meet one that is.
enum class Sharing : std::uint8_t {
  kExclusive,  // the owner's thread alone: plain loads and stores; origins send packets
  kCoherent    // origins map it and update it with the processor's atomics, beside packets: the owner uses atomics, too
};

// Origins of a coherent region that have a counter in it.
inline constexpr std::uint32_t kMaxOrigins = 63;

// A value: copies name the same memory, unmapped with the last of them. Any thread, if `Sharing` allows it.
class Region {
 public:
  // Zeroed memory for the calling controller. kInvalid: 0 bytes, or 2^48 and more. Otherwise like
  // SharedMemory::allocate().
  static Result<Region> make(SharedMemory& memory, std::string_view label, std::size_t bytes, Sharing sharing);
  // Another controller's coherent region, by its segment. kInvalid: the segment holds no region of this version.
  // kUnsupported: the region is exclusive. There are no updates by hardware over a wire: the provider that every
  // system has (tcp;ofi_rxm) has no atomics of its own, and no provider is asked for them. Otherwise like
  // Segment::map().
  static Result<Region> attach(const std::shared_ptr<SharedSegment>& segment);

  // For an origin's attach() to a coherent region; nobody else needs it.
  [[nodiscard]] const std::shared_ptr<SharedSegment>& segment() const noexcept { return segment_; }
  [[nodiscard]] Sharing sharing() const noexcept { return sharing_; }
  // Aligned to 4096 bytes. Read a coherent region by load() while others may write.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  // Loads the element at `offset`, which must be in the region and aligned.
  template <Element Word>
  [[nodiscard]] Word load(std::uint64_t offset) const noexcept {
    Word& element = at<Word>(offset);
    if (sharing_ == Sharing::kExclusive) return element;
    return std::atomic_ref<Word>(element).load(std::memory_order_relaxed);
  }

  // Does one update at once; `update` must have passed check(). Returns the old value if the operation fetches, else
  // anything. An exclusive region: by the owner's thread only.
  std::uint64_t perform(const Update& update) const noexcept {  // NOLINT(modernize-use-nodiscard)
    return update.width == Width::k32 ? perform<std::uint32_t>(update) : perform<std::uint64_t>(update);
  }

  // Updates that origin `origin` (below kMaxOrigins) has performed itself, as of its last flush: a reader of the number
  // sees them all. Only the origin announces.
  [[nodiscard]] std::uint64_t performed(std::uint32_t origin) const noexcept;
  void announce(std::uint32_t origin, std::uint64_t performed) const noexcept;

 private:
  Region(std::shared_ptr<SharedSegment> segment, std::shared_ptr<Mapping> mapping, Sharing sharing) noexcept;

  template <Element Word>
  [[nodiscard]] Word& at(std::uint64_t offset) const noexcept {
    return *reinterpret_cast<Word*>(bytes_.data() + offset);
  }
  template <Element Word>
  std::uint64_t perform(const Update& update) const noexcept {
    const auto operand = static_cast<Word>(update.operand), expected = static_cast<Word>(update.expected);
    Word& element = at<Word>(update.offset);
    return sharing_ == Sharing::kExclusive ? perform_alone(update.operation, element, operand, expected)
                                           : perform_atomically(update.operation, element, operand, expected);
  }

  std::shared_ptr<SharedSegment> segment_;
  std::shared_ptr<Mapping> mapping_;
  Sharing sharing_;
  std::span<std::byte> bytes_;
};

}  // namespace woa::onesided
