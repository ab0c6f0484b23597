// Work that may abort, hang or crash, in a process of its own: libraries that do are not ours to mend.
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
// if it has not ended after `timeout_ns`, or when the thread that calls this ends. `work` must not rely on other
// threads of this process: it has none.
//
// kUnavailable: no process or pipe; it took longer; it ended by a signal, or by itself before its text was whole. The
// message says which, for use behind the name of what was tried. Blocks.
Result<std::string> run_in_child(const std::function<std::string()>& work, std::uint64_t timeout_ns);

// Runs a program, which is looked for as a shell does, with `input` as its standard input, and returns its standard
// output. It is killed if it has not ended after `timeout_ns`.
//
// kNotFound: there is no such program. kUnavailable: no process, pipe or memory; it took longer; it ended by a signal,
// or with another code than 0. The message says which, for use behind the program's name, and ends with what it wrote
// to its standard error (the first 2 KiB). Blocks.
Result<std::string> run_program(const std::vector<std::string>& command, std::string_view input,
                                std::uint64_t timeout_ns);

// How a child process ended, in words for the user.

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
