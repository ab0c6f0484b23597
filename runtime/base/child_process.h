// Runs work that may abort, hang or crash in a process of its own: libraries that do so are not ours to mend.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/status.h"

namespace woa {

// Runs `work` in a fork of this process and returns its text. No destructor runs there afterwards. The child is killed
// after `timeout_ns`, or when the calling thread ends. `work` must not rely on other threads of this process: the fork
// has none.
//
// kUnavailable: no process or pipe; it took longer; it ended by a signal, or by itself before its text was complete.
// The message, which follows the name of what was tried, says which. Blocks.
Result<std::string> run_in_child(const std::function<std::string()>& work, std::uint64_t timeout_ns);

// Runs a program, searched in PATH, with `input` as its standard input, and returns its standard output. Kills it after
// `timeout_ns`.
//
// kNotFound: there is no such program. kUnavailable: no process, pipe or memory; it took longer; it ended by a signal,
// or with another code than 0. The message, which follows the program's name, says which, and ends with the first 2 KiB
// of its standard error. Blocks.
Result<std::string> run_program(const std::vector<std::string>& command, std::string_view input,
                                std::uint64_t timeout_ns);

// How a child process ended, in words for the user.

struct ChildEnd {
  bool ended = false;
  std::optional<int> status;  // as waitpid() says it; nothing if this process ignores SIGCHLD: the system forgot
};
// Waits for `child` to end, `limit_ns` at most, and removes it from the process table.
ChildEnd reap_child(pid_t child, std::uint64_t limit_ns);

// True if a process is stopped (SIGSTOP, Ctrl-Z, a debugger), and may go on. False if there is none.
bool is_stopped(pid_t process);

// "was ended by signal 11 (Segmentation fault)", "ended with exit code 3".
std::string how_it_ended(int status);
// Advice that follows a message about such an end; empty if the message says it all.
std::string what_to_look_at(int status);

}  // namespace woa
