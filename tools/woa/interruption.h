// Ctrl-C (SIGINT) and SIGTERM. Both are blocked in every thread, so that no library's handler ever runs and nothing is
// interrupted half way, also where this is process 1 of a container; one thread waits for them and decides.
#pragma once

#include <functional>

namespace woa::tools {

class Interruption {
 public:
  // Blocks both signals here and in the threads that start from now on, and starts the thread that waits for them. From
  // then on either signal ends the process with exit code 128 + its number, an error on stderr and, if `as_json`, the
  // object on stdout. Call once, before any other thread starts. A SIGINT that the parent ignored (a job in the
  // background) stays ignored.
  static void watch(bool as_json);
  // Blocks both for good: this process ends when its parent says so.
  static void leave_to_parent();

  // While it lives, the first signal calls `tell`, on the waiting thread, and the command ends in order; the second
  // ends the process at once, without a message.
  explicit Interruption(std::function<void(const char* signal)> tell);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  // 128 + the number of the first signal that came, or 0.
  static int exit_code();
};

}  // namespace woa::tools
