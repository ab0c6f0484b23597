// What an operation does to an element. Internal to runtime/onesided.
#pragma once

#include <algorithm>
#include <atomic>

#include "runtime/onesided/update.h"

namespace woa::onesided {

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

// Where nobody else writes or reads `element`. The old value.
template <Element Word>
Word perform_alone(Operation operation, Word& element, Word operand, Word expected) noexcept {
  const Word old = element;
  element = changed(operation, old, operand, expected);
  return old;
}

// Where others may update `element` at the same time, also from other processes. The old value if the operation
// fetches, else anything. Relaxed: no order between different elements is promised (updater.h).
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

}  // namespace woa::onesided
