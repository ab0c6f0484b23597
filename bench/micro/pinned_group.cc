#include "bench/micro/pinned_group.h"

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

Result<PinnedGroup> PinnedGroup::start(std::span<const Member> members) {
  cpu_set_t before;
  ::sched_getaffinity(0, sizeof before, &before);
  if (!CPU_ISSET(0, &before) || !CPU_ISSET(1, &before)) {
    return {Code::kUnavailable, "this benchmark runs on processors 0 and 1, and may not use both of them here"};
  }
  PinnedGroup group(before);
  const pid_t parent = ::getpid();
  for (const Member& member : members) {
    const pid_t child = ::fork();
    if (child < 0) return {Code::kUnavailable, "cannot start another process"};
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::_exit(pin(member.processor) && ::getppid() == parent ? member.body() : 1);
    }
    group.children_.push_back(child);
  }
  group.pinned_ = pin(0);
  if (!group.pinned_) return {Code::kUnavailable, "the system does not let this process choose its processor"};
  return group;
}

PinnedGroup::PinnedGroup(PinnedGroup&& other) noexcept
    : children_(std::exchange(other.children_, {})),
      before_(other.before_),
      pinned_(std::exchange(other.pinned_, false)) {}

PinnedGroup::~PinnedGroup() {
  for (const pid_t child : children_) ::kill(child, SIGKILL);
  wait();
}

int PinnedGroup::wait() {
  int code = 0;
  for (const pid_t child : std::exchange(children_, {})) {
    int status = 0;
    ::waitpid(child, &status, 0);
    if (code == 0) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  if (std::exchange(pinned_, false)) ::sched_setaffinity(0, sizeof before_, &before_);
  return code;
}

}  // namespace woa::bench
