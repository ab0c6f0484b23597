// Submissions that wait for a place in a run's window: the first to come is the first to be served. A thread has one in
// line at most and goes on meanwhile; before its next one it sleeps until that one has left.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "woa/woa.h"

namespace woa {

struct Submission {
  woa_fill fill = nullptr;
  void* user = nullptr;
  std::uint64_t timeout_ns = 0;  // of the instance; 0: the plan's
};

// Threads to wake. It is done without the run's mutex, which they may need at once.
using Sleepers = std::vector<const std::atomic<std::uint32_t>*>;
void wake(const Sleepers& sleepers) noexcept;

// Thread-safe: no. The run's mutex guards it.
class WaitingLine {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return line_.size(); }
  // True if a submission of this thread is in line.
  [[nodiscard]] bool has_mine() const { return owners_.contains(std::this_thread::get_id()); }
  // The last in line, for this thread, which has none there.
  void join(const Submission& submission);
  // Takes the first out. The line must not be empty.
  Submission leave(Sleepers& sleepers);
  // `told` becomes 1 when the submission of this thread, which has one, leaves. Null: the thread waits no more.
  void tell(std::atomic<std::uint32_t>* told) { owners_.find(std::this_thread::get_id())->second = told; }

 private:
  std::deque<std::pair<Submission, std::thread::id>> line_;
  std::map<std::thread::id, std::atomic<std::uint32_t>*> owners_;  // whom to tell; null: nobody waits
};

}  // namespace woa
