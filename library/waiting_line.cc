#include "library/waiting_line.h"

#include "runtime/base/futex.h"

namespace woa {

void wake(const Sleepers& sleepers) noexcept {
  for (const std::atomic<std::uint32_t>* const word : sleepers) futex_wake(word, 1);
}

void WaitingLine::join(const Submission& submission) {
  line_.emplace_back(submission, std::this_thread::get_id());
  owners_.emplace(std::this_thread::get_id(), nullptr);
}

Submission WaitingLine::leave(Sleepers& sleepers) {
  const auto [submission, thread] = line_.front();
  line_.pop_front();
  const auto owner = owners_.find(thread);
  if (owner->second != nullptr) {
    sleepers.push_back(owner->second);
    owner->second->store(1, std::memory_order_release);  // from here on it may be gone
  }
  owners_.erase(owner);
  return submission;
}

}  // namespace woa
