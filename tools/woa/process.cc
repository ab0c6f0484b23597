#include "tools/woa/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/interruption.h"

namespace woa::tools {
namespace {

// Who starts a program with its stdout closed would have the next file that is opened in its place, and the output in
// that. What is opened here fails as a closed one does.
void occupy_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) == -1)
      (void)::open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

// A parent hands on what it ignores and blocks. How children ended must be known; a limit on the size of files, which
// shared memory counts as, is an error that is told; and what ends this process must reach it.
void set_signals() {
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// From now on only answers reach the real stdout.
void keep_stdout_for_answers() {
  const int answers = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (answers < 0) return;  // no descriptor is to be had: the command will say so
  std::FILE* stream = ::fdopen(answers, "w");
  if (stream == nullptr) return;
  set_answer_stream(stream);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

bool written(std::FILE* stream) { return std::fflush(stream) == 0 && std::ferror(stream) == 0; }

// An answer that got lost is a failure, whatever the command did.
int finish(int exit_code) {
  const bool answered = written(answer_stream());
  if (written(stdout) && answered) return exit_code;
  print_error({Code::kUnavailable, "what this command has to say could not be written to stdout"});
  return exit_code == kDone ? kFailed : exit_code;
}

}  // namespace

bool wants_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* text) {
    return std::strcmp(text, "--json") == 0 || std::strcmp(text, "--json=true") == 0;
  });
}

int run_process(int argc, char** argv, const std::function<int()>& command) {
  try {
    const bool json = wants_json(argc, argv);
    occupy_closed_descriptors();
    set_signals();
    if (json) keep_stdout_for_answers();
    if (argc > 1 && std::strcmp(argv[1], kServeCommand) == 0)
      Interruption::leave_to_parent();
    else
      Interruption::watch(json);
    return finish(command());
  } catch (const std::exception& error) {  // memory exhausted, or a bug
    std::fprintf(stderr, "woa: internal error: %s\n", error.what());
    return kFailed;
  }
}

void end_process(int exit_code) { ::_exit(finish(exit_code)); }

ForeignOutput::ForeignOutput() {
  std::fflush(stdout);
  stdout_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (stdout_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

ForeignOutput::~ForeignOutput() {
  std::fflush(stdout);  // what kernels left there
  if (stdout_ < 0) return;
  ::dup2(stdout_, STDOUT_FILENO);
  ::close(stdout_);
}

}  // namespace woa::tools
