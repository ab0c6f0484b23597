#include "runtime/transport/doorbell.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/sanitizers.h"

namespace woa {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

timespec to_timespec(std::uint64_t ns) noexcept {
  return {.tv_sec = static_cast<time_t>(ns / kNsPerSecond), .tv_nsec = static_cast<long>(ns % kNsPerSecond)};
}

// Either the ringer sees `sleeping` set, or the owner sees the work that the ringer published: each side writes one
// word, then reads the other's, and this stands between the two. ThreadSanitizer knows no fences, so there an exchange
// of nothing does it.
void full_fence([[maybe_unused]] std::atomic<std::uint32_t>& sleeping) noexcept {
#ifdef WOA_THREAD_SANITIZER
  sleeping.fetch_add(0, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

// Wakes an owner that sleeps for `least` or more.
void Doorbell::ring_from(For least) const noexcept {
  if (line_ == nullptr) return;
  full_fence(line_->sleeping);
  if (line_->sleeping.load(std::memory_order_relaxed) < least) return;
  // The first who rings wakes the owner; until it has woken, which takes microseconds, the others need not.
  if (line_->sleeping.exchange(0, std::memory_order_relaxed) == 0) return;
  line_->rings.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &line_->rings, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void Doorbell::prepare(For what) const noexcept {
  if (line_ == nullptr) return;
  line_->seen = line_->rings.load(std::memory_order_relaxed);
  line_->sleeping.store(what, std::memory_order_relaxed);
  full_fence(line_->sleeping);
}

void Doorbell::cancel() const noexcept {
  if (line_ != nullptr) line_->sleeping.store(0, std::memory_order_relaxed);
}

void Doorbell::sleep(std::uint64_t timeout_ns) const noexcept {
  const timespec timeout = to_timespec(timeout_ns);
  if (line_ == nullptr) {
    nanosleep(&timeout, nullptr);
    return;
  }
  // The kernel compares `rings` with `seen`: a ring since prepare() makes it return at once.
  syscall(SYS_futex, &line_->rings, FUTEX_WAIT, line_->seen, &timeout, nullptr, 0);
  cancel();
}

}  // namespace woa
