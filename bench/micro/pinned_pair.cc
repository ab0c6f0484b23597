#include "bench/micro/pinned_pair.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace woa::bench {
namespace {

bool pin(std::size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

Result<PinnedPair> PinnedPair::start(const std::function<int()>& body) {
  cpu_set_t before;
  ::sched_getaffinity(0, sizeof before, &before);
  if (!CPU_ISSET(0, &before) || !CPU_ISSET(1, &before)) {
    return {Code::kUnavailable, "this benchmark runs on processors 0 and 1, and may not use both of them here"};
  }
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return {Code::kUnavailable, "cannot start a second process"};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::_exit(pin(1) && ::getppid() == parent ? body() : 1);
  }
  PinnedPair pair(child, before);
  if (!pin(0)) return {Code::kUnavailable, "the system does not let this process choose its processor"};
  return pair;
}

PinnedPair::PinnedPair(PinnedPair&& other) noexcept : child_(std::exchange(other.child_, -1)), before_(other.before_) {}

PinnedPair::~PinnedPair() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  wait();
}

int PinnedPair::wait() {
  int status = 0;
  ::waitpid(std::exchange(child_, -1), &status, 0);
  ::sched_setaffinity(0, sizeof before_, &before_);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace woa::bench
