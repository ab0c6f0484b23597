// Captures what a program writes to stderr, for tests that look at it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/catch.h"

namespace woa::test {

// While it lives, stderr is a file of its own, also for libraries and other threads.
class CapturedStderr {
 public:
  CapturedStderr() : file_(::memfd_create("stderr", MFD_CLOEXEC)), stderr_(::dup(STDERR_FILENO)) {
    REQUIRE(file_ >= 0);
    REQUIRE(::dup2(file_, STDERR_FILENO) == STDERR_FILENO);
  }
  ~CapturedStderr() { ::dup2(stderr_, STDERR_FILENO), ::close(stderr_), ::close(file_); }
  CapturedStderr(const CapturedStderr&) = delete;
  CapturedStderr& operator=(const CapturedStderr&) = delete;

  [[nodiscard]] std::string text() const {
    std::string text;
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = ::pread(file_, some.data(), some.size(), static_cast<off_t>(text.size()))) > 0;)
      text.append(some.data(), static_cast<std::size_t>(got));
    return text;
  }

 private:
  int file_, stderr_;
};

}  // namespace woa::test
