#include "bench/micro/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>

namespace woa::bench {
namespace {

constexpr int kNoProgram = 127;  // as shells say it

[[noreturn]] void become(const std::vector<std::string>& command, int out) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(out, STDOUT_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(kNoProgram);
}

std::string read_all(int in) {
  std::string text;
  std::array<char, 4096> some;
  for (;;) {
    const ssize_t count = ::read(in, some.data(), some.size());
    if (count > 0) text.append(some.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

Result<std::string> run_program(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {Code::kUnavailable, "cannot start " + command[0] + ": no pipe"};
  const pid_t child = ::fork();
  if (child == 0) become(command, ends[1]);
  ::close(ends[1]);
  const std::string text = child < 0 ? "" : read_all(ends[0]);
  ::close(ends[0]);
  if (child < 0) return {Code::kUnavailable, "cannot start " + command[0] + ": the system refused a process"};
  int status = 0;
  ::waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
