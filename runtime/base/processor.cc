#include "runtime/base/processor.h"

#include <string>

namespace woa {
namespace {

// The processors that this process may use: "0, 1".
std::string allowed_processors(const cpu_set_t& set) {
  std::string text;
  for (std::size_t k = 0; k < CPU_SETSIZE; ++k)
    if (CPU_ISSET(k, &set)) text += (text.empty() ? "" : ", ") + std::to_string(k);
  return text;
}

}  // namespace

Status pin_thread(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool thinkable = processor >= 0 && processor < CPU_SETSIZE;
  if (thinkable) {
    CPU_SET(static_cast<std::size_t>(processor), &set);
    if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  }
  std::string text =
      "cannot pin to processor " + std::to_string(processor) + ": it does not exist or is not allowed here";
  if (::sched_getaffinity(0, sizeof set, &set) == 0) text += "; this process may use " + allowed_processors(set);
  return {Code::kInvalid, text};
}

Status check_processor(int processor) {
  PinnedThread pinned;
  return pinned.pin(processor);
}

PinnedThread::PinnedThread() noexcept : known_(::sched_getaffinity(0, sizeof before_, &before_) == 0) {}

PinnedThread::~PinnedThread() {
  if (known_) ::sched_setaffinity(0, sizeof before_, &before_);
}

Status PinnedThread::pin(int processor) { return processor == kNoProcessor ? Status() : pin_thread(processor); }

}  // namespace woa
