#include "controllers/fpga/xrt/movers.h"

#include <limits>

#include "runtime/base/clock.h"
#include "runtime/base/futex.h"
#include "runtime/base/pause.h"
#include "runtime/base/thread.h"

namespace woa {
namespace {

constexpr int kLooks = 100;                // before a thread sleeps: some microseconds
constexpr std::uint64_t kSlowNs = 20'000;  // waking a thread takes that long at most

}  // namespace

Movers::~Movers() {
  stopped_.store(true);
  bell_.fetch_add(1);
  futex_wake(&bell_, std::numeric_limits<int>::max());
}

Status Movers::start(std::size_t threads) {
  threads_.resize(threads);
  for (std::jthread& thread : threads_)
    WOA_RETURN_IF_ERROR(start_thread(thread, "starting a thread that moves payloads", [this] { serve(); }));
  return {};
}

void Movers::post() noexcept {
  posted_.store(posted_.load(std::memory_order_relaxed) + 1);
  wake_if_needed();
}

// A thread that is awake comes to the item soon, or at once if it looks. One that stops says so before it looks for the
// last time: either it sees the item, or the caller sees that it stopped.
void Movers::wake_if_needed() noexcept {
  if (slow_.load() ? looking_.load() != 0 : awake_.load() != 0) return;
  bell_.fetch_add(1);
  futex_wake(&bell_, 1);
}

bool Movers::take(std::uint32_t& item) noexcept {
  item = taken_.load();
  while (item != posted_.load())
    if (taken_.compare_exchange_weak(item, item + 1)) return true;
  return false;
}

// Looks for an item for a moment.
bool Movers::look(std::uint32_t& item) noexcept {
  looking_.fetch_add(1);
  bool found = false;
  for (int look = 0; look < kLooks && !found; ++look) {
    found = take(item);
    if (!found) pause_core();
  }
  looking_.fetch_sub(1);
  if (found && slow_.load() && any()) wake_if_needed();  // whoever posted the next one may have relied on this thread
  return found;
}

// False: stopped, and nothing is left.
bool Movers::next(std::uint32_t& item) noexcept {
  for (;;) {
    const std::uint32_t bell = bell_.load();
    if (look(item)) return true;
    awake_.fetch_sub(1);
    if (!any()) {
      if (stopped_.load()) return false;
      futex_wait(bell_, bell);
    }
    awake_.fetch_add(1);
  }
}

void Movers::serve() noexcept {
  awake_.fetch_add(1);
  for (std::uint32_t item = 0; next(item);) {
    const std::uint64_t begin_ns = now_ns();
    work_(item);
    const bool slow = now_ns() - begin_ns > kSlowNs;
    if (slow != slow_.load(std::memory_order_relaxed)) slow_.store(slow, std::memory_order_relaxed);
  }
}

}  // namespace woa
