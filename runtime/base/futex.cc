#include "runtime/base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace woa {

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  const timespec timeout{.tv_sec = static_cast<time_t>(timeout_ns / kNsPerSecond),
                         .tv_nsec = static_cast<long>(timeout_ns % kNsPerSecond)};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

void futex_wake(const std::atomic<std::uint32_t>* word, int count) noexcept {
  syscall(SYS_futex, word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

}  // namespace woa
