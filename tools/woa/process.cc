#include "tools/woa/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "library/local_run.h"
#include "runtime/base/file.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/interruption.h"

namespace woa::tools {
namespace {

// A program started with stdout closed would get the next opened file as its stdout, and write its output there. The
// descriptor opened here fails as a closed one does.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1)
      (void)::open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

// Connections, channels and files take descriptors, and shells give programs few for the sake of select(), which
// nothing here calls. A program of the user's has its own limit, so the library does not do this.
void raise_limit_of_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);  // where it is refused, what runs out of them says so
}

// A parent hands on the signals that it ignores and blocks. SIGCHLD tells how children ended. SIGXFSZ is ignored:
// exceeding the limit on file sizes, which includes shared memory, becomes an error that is reported. SIGINT and
// SIGTERM must reach this process: they stay blocked, and so are not lost, until a thread waits for them.
void set_signals() {
  for (const int number : {SIGCHLD, SIGTERM}) std::signal(number, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int number : {SIGINT, SIGTERM}) sigaddset(&blocked, number);
  ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

// From now on only answers reach the real stdout.
void keep_stdout_for_answers() {
  const int real_stdout = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (real_stdout < 0) return;  // no descriptor is free: the command will say so
  std::FILE* stream = ::fdopen(real_stdout, "w");
  if (stream == nullptr) return;
  set_answer_stream(stream);
  set_stdout_of_user(real_stdout);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

bool written(std::FILE* stream) { return std::fflush(stream) == 0 && std::ferror(stream) == 0; }

// An answer that is lost is a failure, whatever the command did.
int finish(int exit_code) {
  const bool complete = written(answer_stream());
  if (written(stdout) && complete) return exit_code;
  print_error({Code::kUnavailable, "cannot write the result to stdout; check the disk or the pipe behind it"});
  return exit_code == kDone ? kFailed : exit_code;
}

}  // namespace

bool wants_json(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments,
                             [](const std::string& text) { return text == "--json" || text == "--json=true"; });
}

void hand_on_stdout() {
  if (answer_stream() != stdout) ::dup2(::fileno(answer_stream()), STDOUT_FILENO);
}

int run_process(const std::vector<std::string>& arguments, const std::function<int()>& command) {
  try {
    const bool as_json = wants_json(arguments);
    occupy_closed_descriptors();
    raise_limit_of_descriptors();
    set_signals();
    if (as_json) keep_stdout_for_answers();
    if (!arguments.empty() && (arguments.front() == kServeCommand || arguments.front() == kWorkerCommand))
      Interruption::leave_to_parent();
    else
      Interruption::watch(as_json);
    return finish(command());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "woa: %s\n", Status::no_memory().message().c_str());
    return kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "woa: internal error: %s\n", error.what());
    return kFailed;
  }
}

void end_process(int exit_code) { leave_process(finish(exit_code)); }

void leave_process(int exit_code) {
  for (;;) ::syscall(SYS_exit_group, exit_code);
}

ForeignOutput::ForeignOutput() {
  std::fflush(stdout);
  stdout_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (stdout_ < 0) return;
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  before_ = set_stdout_of_user(stdout_);
  if (before_ != STDOUT_FILENO) set_stdout_of_user(before_);  // stdout went elsewhere already
}

ForeignOutput::~ForeignOutput() {
  std::fflush(stdout);  // prints of kernels
  if (stdout_ < 0) return;
  set_stdout_of_user(before_);
  ::dup2(stdout_, STDOUT_FILENO);
  ::close(stdout_);
}

}  // namespace woa::tools
