// Sleeping until a word changes, as Linux has it (futex(2)). std::atomic::wait() yields before it sleeps, which beside
// busy programs costs a turn of each.
#pragma once

#include <atomic>
#include <cstdint>

namespace woa {

// Sleeps while `word` is `expected`, `timeout_ns` at most, and until futex_wake(). Returns early at times, so the
// caller looks at the word again. Words in shared memory work between processes.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::uint64_t timeout_ns = ~std::uint64_t{0}) noexcept;
// Wakes up to `count` threads that sleep on `word`. Only its address matters: it may be gone.
void futex_wake(const std::atomic<std::uint32_t>* word, int count) noexcept;

}  // namespace woa
