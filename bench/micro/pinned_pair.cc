#include "bench/micro/pinned_pair.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <utility>

namespace woa::bench {
namespace {

void pin(std::size_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

Result<PinnedPair> PinnedPair::start(const std::function<int()>& body) {
  if (std::thread::hardware_concurrency() < 2) return {Code::kUnavailable, "this benchmark needs two processors"};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return {Code::kUnavailable, "cannot start a second process"};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(1);
    ::_exit(::getppid() == parent ? body() : 1);
  }
  PinnedPair pair(child);
  ::sched_getaffinity(0, sizeof pair.before_, &pair.before_);
  pin(0);
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
