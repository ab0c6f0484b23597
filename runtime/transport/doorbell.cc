#include "runtime/transport/doorbell.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "runtime/base/futex.h"
#include "runtime/base/sanitizers.h"

namespace woa {
namespace {

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
  const std::int32_t process = line_->process.load(std::memory_order_acquire);
  if (process != 0 && process != ::getpid()) return;  // the descriptor's number means another file here
  // The first who rings wakes the owner; until it has woken, which takes microseconds, the others need not.
  if (line_->sleeping.exchange(0, std::memory_order_relaxed) == 0) return;
  line_->rings.fetch_add(1, std::memory_order_release);
  if (process == 0) {
    futex_wake(&line_->rings, 1);
    return;
  }
  // The owner closes the descriptor after it has taken `process` back and has seen nobody write.
  line_->writing.fetch_add(1);
  if (line_->process.load() == process) ::eventfd_write(line_->descriptor, 1);
  line_->writing.fetch_sub(1);
}

void Doorbell::ring_into(int descriptor) const noexcept {
  if (line_ == nullptr) return;
  if (descriptor >= 0) line_->descriptor = descriptor;
  line_->process.store(descriptor >= 0 ? ::getpid() : 0);
  while (descriptor < 0 && line_->writing.load() != 0) std::this_thread::yield();
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
  if (line_ == nullptr) return std::this_thread::sleep_for(std::chrono::nanoseconds(timeout_ns));
  futex_wait(line_->rings, line_->seen, timeout_ns);  // a ring since prepare() makes it return at once
  cancel();
}

}  // namespace woa
