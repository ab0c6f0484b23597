#include "library/waiting_line.h"

#include "runtime/base/futex.h"

namespace woa {

void Sleepers::add(const std::atomic<std::uint32_t>* word) noexcept {
  if (count_ == words_.size()) return futex_wake(word, 1);
  words_[count_++] = word;
}

void Sleepers::wake() const noexcept {
  for (std::size_t k = 0; k < count_; ++k) futex_wake(words_[k], 1);
}

// Whatever needs memory comes before what others see.
void WaitingLine::join(const Submission& submission) {
  std::list<Waiting> last{{submission, std::this_thread::get_id()}};
  owners_.emplace(std::this_thread::get_id(), nullptr);
  line_.splice(line_.end(), last);
}

Submission WaitingLine::leave(Sleepers& sleepers) {
  const Waiting first = line_.front();
  line_.pop_front();
  const auto owner = owners_.find(first.thread);
  if (owner->second != nullptr) {
    owner->second->store(1, std::memory_order_release);  // from here on it may be gone, and only its address is used
    sleepers.add(owner->second);
  }
  owners_.erase(owner);
  return first.submission;
}

}  // namespace woa
