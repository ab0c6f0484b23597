#include "bench/harness/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace woa::bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kNoProgram = 127;  // as shells say it

[[noreturn]] void become(const std::vector<std::string>& command, int out) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  sigset_t none;  // whatever this process blocks or ignores for itself
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGXFSZ, SIG_DFL);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC),
         STDIN_FILENO);  // from the terminal only a foreground group may read
  ::dup2(out, STDOUT_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(kNoProgram);
}

// Reads until `deadline`, or until nobody can write any more.
std::string read_all(int in, Clock::time_point deadline) {
  std::string text;
  std::array<char, 4096> some;
  constexpr long kLongest_ms = 1000;  // whatever the limit, which need not fit an int
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
    pollfd ready{in, POLLIN, 0};
    const int come = left > 0 ? ::poll(&ready, 1, static_cast<int>(std::min<long>(left, kLongest_ms))) : 0;
    const ssize_t count = come > 0 ? ::read(in, some.data(), some.size()) : -1;
    if (count > 0) text.append(some.data(), static_cast<std::size_t>(count));
    if (count == 0 || Clock::now() >= deadline) return text;
  }
}

// Leaves the child to be waited for, so that its number is not used again.
bool has_ended(pid_t child, Clock::time_point deadline) {
  constexpr milliseconds kBetweenLooks{1};
  for (;;) {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT | WNOHANG);
    if (info.si_pid == child) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

// Ends the group, first by SIGTERM: a launcher then ends its processes elsewhere. Returns the exit code, 128 + signal
// if it was killed.
int end_group(pid_t leader, bool ended) {
  constexpr milliseconds kForFarewell{2000};
  if (!ended) {
    ::kill(-leader, SIGTERM);
    has_ended(leader, Clock::now() + kForFarewell);
  }
  ::kill(-leader, SIGKILL);
  int status = 0;
  ::waitpid(leader, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<std::string> run_program(const std::vector<std::string>& command, milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return limit_reached("starting " + command[0], errno);
  const auto deadline = Clock::now() + limit;
  const pid_t child = ::fork();
  const int error = errno;
  if (child == 0) become(command, ends[1]);
  ::close(ends[1]);
  if (child > 0) ::setpgid(child, child);  // whichever of the two comes first
  const std::string text = child < 0 ? "" : read_all(ends[0], deadline);
  ::close(ends[0]);
  if (child < 0) return limit_reached("starting " + command[0], error);
  const bool ended = has_ended(child, deadline);
  const int code = end_group(child, ended);
  if (!ended)
    return {Code::kDeadlineExceeded,
            command[0] + " had not ended after " + std::to_string(limit.count()) + " ms, and wrote: " + text};
  if (code == kNoProgram) return {Code::kNotFound, "there is no program " + command[0]};
  if (code != 0) return {Code::kPeerLost, command[0] + " ended with " + std::to_string(code) + ", and wrote: " + text};
  return text;
}

bool can_run(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace woa::bench
