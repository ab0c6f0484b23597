// A compute unit: the verilated kernel on a thread of its own, which carries out runs, and another one for callbacks.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "tests/doubles/xrt/card/card.h"
#include "tests/doubles/xrt/library/memory.h"

namespace woa::xrt_double {

struct Run;

extern thread_local bool in_callback;

class Unit {
 public:
  // The fate of a run. A skipped one ends as if it had been carried out.
  enum class Fate { kNormal, kSkipped, kError, kSlow, kHung, kLost };

  // `width`: bits of the kernel's memory port, 64 or 512.
  Unit(Banks& banks, std::uint64_t seed, unsigned width);
  ~Unit();  // forgets what is under way
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  // The run has its arguments, and is under way. Any thread.
  void start(Run& run, const WactArguments& arguments, Fate fate);
  [[nodiscard]] bool failed() const { return failed_.load(); }  // a run was slow or hung, or the card is lost
  [[nodiscard]] bool lost() const { return lost_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Start {
    Run* run;
    WactArguments arguments;
    Fate fate;
    Clock::time_point at, due;
  };
  struct Call {
    Run* run;
    int state;
  };

  static bool starts_late();
  void work();
  void accept();
  void end_first();
  void finish_due(Clock::time_point now);
  void lose();
  void wait(std::unique_lock<std::mutex>& lock);
  void finish(const Start& start, int state);
  void call_back();
  void push_call(Run& run, int state);

  Card card_;  // of the thread `worker_` alone, as these are:
  std::deque<Start> running_, ended_;
  std::mt19937_64 random_, call_random_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Start> queue_;
  std::vector<Start> held_;  // by ignore=start_order
  bool hung_ = false, stopping_ = false;
  std::atomic<bool> failed_{false}, lost_{false};

  std::mutex call_mutex_;
  std::condition_variable call_changed_;
  std::deque<Call> calls_;
  bool calls_stopping_ = false;

  std::thread worker_, caller_;
};

}  // namespace woa::xrt_double
