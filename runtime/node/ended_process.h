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

// "was ended by signal 11 (Segmentation fault)", "ended with exit code 3".
std::string how_it_ended(int status);
// What a user should look at then, to stand behind a message; empty where the message says it all.
std::string what_to_look_at(int status);

}  // namespace woa
