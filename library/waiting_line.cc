#include "library/waiting_line.h"

namespace woa {

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

void WaitingLine::admit(std::uint64_t number) {
  Waiting& first = *line_.begin()->second;
  line_.erase(line_.begin());
  first.number = number;
  first.changed.notify_one();
}

void WaitingLine::wake_all() {
  for (const auto& [ticket, waiting] : line_) waiting->changed.notify_one();
}

}  // namespace woa
