#include "library/waiting_line.h"

#include "runtime/base/futex.h"

namespace woa {

void wake(const Sleepers& sleepers) noexcept {
  for (const std::atomic<std::uint32_t>* const word : sleepers) futex_wake(word, 1);
}

void WaitingLine::join(Waiting& waiting) {
  const auto left = left_with_.find(std::this_thread::get_id());
  waiting.ticket = left == left_with_.end() ? next_ticket_++ : left->second;
  if (left != left_with_.end()) left_with_.erase(left);
  line_.emplace(waiting.ticket, &waiting);
}

void WaitingLine::leave(const Waiting& waiting) {
  line_.erase(waiting.ticket);
  left_with_.emplace(std::this_thread::get_id(), waiting.ticket);
}

void WaitingLine::admit(std::uint64_t number, Sleepers& sleepers) {
  Waiting& first = *line_.begin()->second;
  line_.erase(line_.begin());
  sleepers.push_back(&first.told);
  first.number = number;
  first.told.store(1, std::memory_order_release);  // from here on it may be gone
}

void WaitingLine::end(Sleepers& sleepers) {
  for (const auto& [ticket, waiting] : line_) {
    sleepers.push_back(&waiting->told);
    waiting->told.store(1, std::memory_order_release);
  }
}

}  // namespace woa
