// How a child process ended, in words for the user.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace woa {

struct ChildEnd {
  bool ended = false;
  std::optional<int> status;  // as waitpid() says it; nothing where this process ignores SIGCHLD: the system forgot
};
// Waits for `child` to end, `limit_ns` at most, and takes it from the process table.
ChildEnd reap_child(pid_t child, std::uint64_t limit_ns);

// "was ended by signal 11 (Segmentation fault)", "ended with exit code 3". A SIGKILL that nobody of ours sent is
// perhaps the system's, which ran out of memory: that is said too.
std::string how_it_ended(int status);

}  // namespace woa
