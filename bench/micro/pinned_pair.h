// Two processes on two processors, for the micro-benchmarks: this one and a child.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <functional>

#include "runtime/base/status.h"

namespace woa::bench {

class PinnedPair {
 public:
  // Forks a child on processor 1 that runs `body` and exits with its result, and pins the caller to processor 0. The
  // child ends with its parent. kUnavailable: processors 0 and 1 are not both ours to use, or the system refused a
  // process.
  static Result<PinnedPair> start(const std::function<int()>& body);
  PinnedPair(PinnedPair&& other) noexcept;
  PinnedPair& operator=(PinnedPair&&) = delete;
  ~PinnedPair();  // ends the child, unpins the caller
  // Waits for the child; its exit code, 128 + signal if it was killed.
  int wait();

 private:
  PinnedPair(pid_t child, const cpu_set_t& before) : child_(child), before_(before) {}
  pid_t child_;
  cpu_set_t before_;
};

}  // namespace woa::bench
