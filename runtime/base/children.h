// Child processes that one thread starts and watches.
//
// Linux kills a child that asked for that (PR_SET_PDEATHSIG) when the *thread* that started it ends. Threads of a
// program come and go; this one stays as long as its children.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"

namespace woa {

// Any thread may call it.
class Children {
 public:
  // Told once, by the watching thread, when a child has ended: its status as waitpid() says it; nothing if the system
  // forgot it, since this process ignores SIGCHLD or another part of it took it.
  using OnEnd = std::function<void(std::optional<int> status)>;

  Children() = default;
  ~Children();  // kills those that are left; on_end is told of them
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  struct Program {
    std::vector<std::string> command;  // the first is a path
    int output = -1, errors = -1;      // its standard output and error; -1: this process's
  };
  // Starts a program, which gets `descriptors` as 3, 4 and so on. It begins with the signals of
  // a new program, but SIGINT is blocked: Ctrl-C is for the parent, until the child has said whether it ignores it.
  // kExhausted, kUnavailable: the system has no thread, process or descriptor, or there is no such program. Blocks
  // until it has started.
  Result<pid_t> start(const Program& program, std::span<const int> descriptors, OnEnd on_end);
  // Nothing happens if it has ended.
  void kill(pid_t child) noexcept;

 private:
  struct Child {
    UniqueFd end;  // readable once it has ended
    OnEnd on_end;
  };
  struct Request {
    const Program& program;
    std::span<const int> descriptors;
    OnEnd on_end;
    std::optional<Result<pid_t>> answer;
  };
  Status begin();
  void watch() noexcept;
  void start_asked();
  void tell_of_ended();
  void wake() const noexcept;

  std::mutex mutex_;  // of all below
  std::condition_variable answered_;
  std::vector<Request*> asked_;
  std::map<pid_t, Child> running_;
  bool stopped_ = false;
  UniqueFd wake_;
  std::jthread thread_;
};

}  // namespace woa
