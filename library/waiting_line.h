// Submissions that wait for a place in a run's window. The first to come is the first to be served.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "woa/woa.h"

namespace woa {

struct Submission {
  woa_fill fill = nullptr;
  void* user = nullptr;
  std::uint64_t timeout_ns = 0;  // of the instance; 0: the plan's
};

// A submission in line. It lies on the stack of its thread, which sleeps until it is told.
struct Waiting {
  Submission submission;
  std::uint64_t ticket = 0;
  std::optional<std::uint64_t> number = std::nullopt;  // once it is admitted
  std::atomic<std::uint32_t> told{0};                  // 1: it is admitted, or the run has ended
};

// Threads to wake. It is done without the run's mutex, which they may need at once.
using Sleepers = std::vector<const std::atomic<std::uint32_t>*>;
void wake(const Sleepers& sleepers) noexcept;

// Thread-safe: no. The run's mutex guards it.
class WaitingLine {
 public:
  [[nodiscard]] bool empty() const noexcept { return line_.empty(); }
  // Takes the place that this thread left by leave(), or else the last one.
  void join(Waiting& waiting);
  // It gives up. This thread keeps its place for its next submission; until then others are served.
  void leave(const Waiting& waiting);
  // This thread has submitted without waiting: it has no place any more.
  void forget() { left_with_.erase(std::this_thread::get_id()); }
  [[nodiscard]] const Submission& first() const { return line_.begin()->second->submission; }
  // The first leaves the line as instance `number`. The line must not be empty.
  void admit(std::uint64_t number, Sleepers& sleepers);
  // The run has ended: all give up.
  void end(Sleepers& sleepers);

 private:
  std::map<std::uint64_t, Waiting*> line_;              // by ticket
  std::map<std::thread::id, std::uint64_t> left_with_;  // tickets of threads that left
  std::uint64_t next_ticket_ = 0;
};

}  // namespace woa
