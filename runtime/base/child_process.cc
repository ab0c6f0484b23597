#include "runtime/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "runtime/base/clock.h"

namespace woa {
namespace {

constexpr char kWhole = '\n';  // behind the text: a child that ends early has not written it

// The child does not outlive its parent, whatever that ends of.
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

Result<std::string> wait_for(pid_t child, int in, std::uint64_t timeout_ns) {
  std::string text;
  const bool finished = read_all(in, timeout_ns, text);
  if (!finished) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!finished) return {Code::kUnavailable, "did not answer within " + std::to_string(timeout_ns / 1'000'000) + " ms"};
  if (WIFSIGNALED(status)) return {Code::kUnavailable, "aborted (signal " + std::to_string(WTERMSIG(status)) + ")"};
  if (status != 0 || text.empty() || text.back() != kWhole)
    return {Code::kUnavailable, "ended the process that it ran in"};
  text.pop_back();
  return text;
}

}  // namespace

Result<std::string> run_in_child(const std::function<std::string()>& work, std::uint64_t timeout_ns) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return {Code::kUnavailable, "had no pipe: " + std::generic_category().message(errno)};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    end_with(parent);
    ::close(ends[0]);
    run_child(work, ends[1]);
  }
  const int error = errno;
  ::close(ends[1]);
  auto text = child < 0
                  ? Result<std::string>(Code::kUnavailable, "had no process: " + std::generic_category().message(error))
                  : wait_for(child, ends[0], timeout_ns);
  ::close(ends[0]);
  return text;
}

}  // namespace woa
