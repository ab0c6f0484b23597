#include "runtime/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/plain_signals.h"
#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"

namespace woa {
namespace {

constexpr char kWhole = '\n';  // ends the text: a child that ends early has not written it

// The child does not outlive its parent, however the parent ends.
void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it ended before
}

[[noreturn]] void run_child(const std::function<std::string()>& work, int out) {
  const std::string text = work() + kWhole;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(out, text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) written += static_cast<std::size_t>(n);
  }
  ::_exit(written == text.size() ? 0 : 1);  // no destructors: threads of libraries may still run
}

// All that the child writes until it closes the pipe; false if that takes too long.
bool read_all(int in, std::uint64_t timeout_ns, std::string& text) {
  const std::uint64_t end = now_ns() + timeout_ns;
  for (std::uint64_t now = now_ns(); now < end; now = now_ns()) {
    pollfd ready{.fd = in, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>((end - now) / 1'000'000 + 1)) <= 0) continue;
    char buffer[4096];
    const ssize_t n = ::read(in, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
  }
  return false;
}

struct Ended {
  std::string text;
  bool in_time = false;
  bool known = false;  // false: `status` is lost, because this process ignores SIGCHLD
  int status = 0;      // as waitpid() says
};

Ended wait_for(pid_t child, int in, std::uint64_t timeout_ns) {
  Ended ended;
  ended.in_time = read_all(in, timeout_ns, ended.text);
  if (!ended.in_time) ::kill(child, SIGKILL);
  pid_t reaped = -1;
  do {
    reaped = ::waitpid(child, &ended.status, 0);
  } while (reaped < 0 && errno == EINTR);
  ended.known = reaped == child;
  return ended;
}

// Ok: the child ended by itself, with any code.
Status by_itself(const Ended& ended, std::uint64_t timeout_ns) {
  if (!ended.in_time)
    return {Code::kUnavailable, "did not answer within " + std::to_string(timeout_ns / 1'000'000) + " ms"};
  if (!ended.known)
    return {Code::kUnavailable, "ended, and the system does not say how: this process must not ignore SIGCHLD"};
  if (WIFSIGNALED(ended.status))
    return {Code::kUnavailable, "aborted (signal " + std::to_string(WTERMSIG(ended.status)) + ")"};
  return {};
}

Result<std::string> text_of_child(Ended ended, std::uint64_t timeout_ns) {
  WOA_RETURN_IF_ERROR(by_itself(ended, timeout_ns));
  if (ended.status != 0 || ended.text.empty() || ended.text.back() != kWhole)
    return {Code::kUnavailable, "ended the process that it ran in"};
  ended.text.pop_back();
  return std::move(ended.text);
}

Status system_failure(const std::string& what, int error) {
  return {Code::kUnavailable, limit_reached("had no " + what, error).message()};
}

// A file in memory, positioned at its beginning.
Result<UniqueFd> memory_file(std::string_view text) {
  UniqueFd file(::memfd_create("woa", MFD_CLOEXEC));
  if (file.get() < 0) return system_failure("memory", errno);
  while (!text.empty()) {
    const ssize_t n = ::write(file.get(), text.data(), text.size());
    if (n < 0 && errno != EINTR) return system_failure("memory", errno);
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// ": " and the text that a program wrote to its standard error; empty if none.
std::string complaint(int errors) {
  constexpr std::size_t kMost = 2048;
  std::string text(kMost, '\0');
  const ssize_t n = ::pread(errors, text.data(), text.size(), 0);
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "" : ": " + text;
}

// 0, or the system's error.
int spawn(const std::vector<std::string>& command, int in, int out, int errors, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  const PlainSignals plain;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, plain.attributes(), arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<std::string> run_in_child(const std::function<std::string()>& work, std::uint64_t timeout_ns) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure("pipe", errno);
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) return system_failure("process", errno);
  if (child == 0) {
    end_with(parent);
    ::close(in.get());
    run_child(work, out.get());
  }
  out = UniqueFd();
  return text_of_child(wait_for(child, in.get(), timeout_ns), timeout_ns);
}

Result<std::string> run_program(const std::vector<std::string>& command, std::string_view input,
                                std::uint64_t timeout_ns) {
  const auto given = memory_file(input), errors = memory_file("");
  if (!given.ok() || !errors.ok()) return given.ok() ? errors.status() : given.status();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_failure("pipe", errno);
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  pid_t child = 0;
  const int error = spawn(command, given->get(), out.get(), errors->get(), child);
  if (error == ENOENT) return {Code::kNotFound, "is not installed"};
  if (error != 0) return system_failure("process", error);
  out = UniqueFd();
  Ended ended = wait_for(child, in.get(), timeout_ns);
  Status status = by_itself(ended, timeout_ns);
  if (status.ok() && ended.status != 0)
    status = {Code::kUnavailable, "ended with code " + std::to_string(WEXITSTATUS(ended.status))};
  if (!status.ok()) return {status.code(), status.message() + complaint(errors->get())};
  return std::move(ended.text);
}

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

// The state follows the program's name, which may hold anything: "27683 (woa) T 27680 ...".
bool is_stopped(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && (text[name_end + 2] == 'T' || text[name_end + 2] == 't');
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
