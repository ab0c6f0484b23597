#include "runtime/measure/pinned_group.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>
#include <utility>

#include "runtime/base/processor.h"

namespace woa::measure {
namespace {

Status pin(std::size_t processor) {
  return processor == kAnyProcessor ? Status() : pin_thread({static_cast<int>(processor)});
}

}  // namespace

Status check_processors(std::span<const std::size_t> processors) {
  std::set<std::size_t> wanted(processors.begin(), processors.end());
  wanted.erase(kAnyProcessor);
  std::string names;
  for (const std::size_t processor : wanted) names += (names.empty() ? "" : " and ") + std::to_string(processor);
  for (const std::size_t processor : wanted)
    if (const Status status = woa::check_processor(static_cast<int>(processor)); !status.ok())
      return {Code::kUnavailable, "this benchmark runs on processors " + names + ": " + status.message()};
  return {};
}

Result<PinnedGroup> PinnedGroup::start(std::span<const Member> members, std::size_t processor) {
  cpu_set_t before;
  ::sched_getaffinity(0, sizeof before, &before);
  std::vector<std::size_t> wanted{processor};
  for (const Member& member : members) wanted.push_back(member.processor);
  WOA_RETURN_IF_ERROR(check_processors(wanted));
  PinnedGroup group(before);
  const pid_t parent = ::getpid();
  for (const Member& member : members) {
    const pid_t child = ::fork();
    if (child < 0) return limit_reached("starting another process", errno);
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::_exit(pin(member.processor).ok() && ::getppid() == parent ? member.body() : 1);
    }
    group.children_.push_back(child);
  }
  if (const Status pinned = pin(processor); !pinned.ok()) return {Code::kUnavailable, pinned.message()};
  group.pinned_ = true;
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

}  // namespace woa::measure
