// Processes on processors of their own choice, for the micro-benchmarks: this one and its children.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <functional>
#include <span>
#include <vector>

#include "runtime/base/status.h"

namespace woa::measure {

inline constexpr std::size_t kAnyProcessor = ~std::size_t{0};  // the system chooses

// A child: it runs `body` on `processor` and exits with its result.
struct Member {
  std::size_t processor = 0;
  std::function<int()> body;
};

// kUnavailable: this process may not use all of `processors`, kAnyProcessor apart.
Status check_processors(std::span<const std::size_t> processors);

class PinnedGroup {
 public:
  // Forks a child per member and pins the caller to `processor`. The children end with their parent. kUnavailable: one
  // of the processors is not ours to use, or the system refused a process.
  static Result<PinnedGroup> start(std::span<const Member> members, std::size_t processor = 0);
  PinnedGroup(PinnedGroup&& other) noexcept;
  PinnedGroup& operator=(PinnedGroup&&) = delete;
  ~PinnedGroup();  // ends the children, unpins the caller
  // Waits for the children; the first exit code that is not 0 (128 + signal if one was killed), or 0.
  int wait();

 private:
  explicit PinnedGroup(const cpu_set_t& before) : before_(before) {}
  std::vector<pid_t> children_;
  cpu_set_t before_;
  bool pinned_ = false;  // the caller is; not true of what was moved from
};

// Two processes on two processors: this one on 0, a child on 1.
struct PinnedPair {
  // The group of one child that runs `body`. Errors as PinnedGroup::start().
  static Result<PinnedGroup> start(const std::function<int()>& body) {
    const Member child{1, body};
    return PinnedGroup::start({&child, 1});
  }
};

}  // namespace woa::measure
