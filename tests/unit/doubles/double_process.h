// Processes of their own for tests of doubles: a broken rule ends one.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/captured_stderr.h"
#include "tests/support/child.h"

// For bodies of child processes, which may not use Catch's macros.
#define NEED(condition)                                                                      \
  do {                                                                                       \
    if (!(condition)) std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition), _exit(1); \
  } while (false)

// run_with() of the namespace that the test is in.
#define REQUIRE_PASSES(words, ...)                                 \
  do {                                                             \
    const ::woa::test::Ended ended = run_with(words, __VA_ARGS__); \
    INFO(ended.log);                                               \
    REQUIRE(ended.status == 0);                                    \
  } while (false)

namespace woa::test {

struct Ended {
  int status;       // waitpid's
  std::string log;  // stderr
  [[nodiscard]] int exit_code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
  [[nodiscard]] bool aborted() const { return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT; }
  [[nodiscard]] bool crashed() const { return WIFSIGNALED(status) || exit_code() != 0; }
};

// Runs `body` in a process of its own, where `variable` is `words`. Its result is the exit code.
template <class Body>
Ended run_with(const char* variable, const std::string& words, Body&& body) {
  const CapturedStderr captured;
  Child child([&] {
    for (const int number : {SIGABRT, SIGSEGV}) ::signal(number, SIG_DFL);  // Catch's handlers would report it
    ::setenv(variable, words.c_str(), 1);
    return body();
  });
  const int status = child.wait();
  return {status, captured.text()};
}

}  // namespace woa::test
