// Submissions that wait for a place in a run's window: the first to come is the first to be served. A thread has one in
// line at most and goes on meanwhile; before its next one it sleeps until that one has left.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <thread>

#include "woa/woa.h"

namespace woa {

struct Submission {
  woa_fill fill = nullptr;
  void* user = nullptr;
  std::uint64_t timeout_ns = 0;  // of the instance; 0: the plan's
};

// Threads to wake: without the run's mutex, which they may need at once. But for the last few of a great number.
class Sleepers {
 public:
  void add(const std::atomic<std::uint32_t>* word) noexcept;
  void wake() const noexcept;

 private:
  std::array<const std::atomic<std::uint32_t>*, 64> words_;
  std::size_t count_ = 0;
};

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
  struct Waiting {
    Submission submission;
    std::thread::id thread;
  };
  std::list<Waiting> line_;
  std::map<std::thread::id, std::atomic<std::uint32_t>*> owners_;  // whom to tell; null: nobody waits
};

}  // namespace woa
