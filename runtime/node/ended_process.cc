#include "runtime/node/ended_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "runtime/base/clock.h"

namespace woa {

ChildEnd reap_child(pid_t child, std::uint64_t limit_ns) {
  constexpr useconds_t kBetweenLooks_us = 500;
  const std::uint64_t deadline = now_ns() + limit_ns;
  for (;;) {
    int status = 0;
    const pid_t reaped = ::waitpid(child, &status, WNOHANG);
    if (reaped == child) return {true, status};
    if (reaped < 0 && errno != EINTR) return {true, std::nullopt};
    if (now_ns() >= deadline) return {};
    ::usleep(kBetweenLooks_us);
  }
}

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  return "was ended by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

std::string what_to_look_at(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return "; if nobody sent that, memory ran out: see `dmesg`";
  return "";
}

}  // namespace woa
