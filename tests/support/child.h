// Child processes of a test: forked, so that they share its descriptors, and never outliving it.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace woa::test {

class Child {
 public:
  // Runs `body` in a child, which then exits with its result (an int). The body must not use Catch's macros.
  template <class Body>
  explicit Child(Body&& body) {
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) std::perror("fork"), std::abort();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(getppid() == parent ? std::forward<Body>(body)() : 1);
  }
  ~Child() {
    if (pid_ > 0) kill(), wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  void kill() const { signal(SIGKILL); }
  // Waits for its end; returns waitpid's status.
  int wait() {
    int result = -1;
    waitpid(std::exchange(pid_, -1), &result, 0);
    return result;
  }
  // True if it has ended; then `result` is waitpid's status. Does not block.
  bool ended(int& result) {
    if (waitpid(pid_, &result, WNOHANG) == 0) return false;
    pid_ = -1;
    return true;
  }
  // Waits for its end; returns its exit code, -1 if a signal ended it.
  int exit_code() {
    const int result = wait();
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace woa::test
