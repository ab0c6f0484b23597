// A program that a benchmark starts as a contender.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/base/status.h"

namespace woa::bench {

// Runs `command` (a program on the PATH or with a path, and its arguments) to its end; returns what it wrote to stdout.
// Its stderr is ours, its stdin empty. It ends with its parent, and with it end the processes that it started and that
// stayed in its process group. kNotFound: the program does not exist. kUnavailable: the system refused a process.
// kPeerLost: it failed; its exit code and what it wrote are in the message. kDeadlineExceeded: it had not ended after
// `limit`, and was ended.
Result<std::string> run_program(const std::vector<std::string>& command, std::chrono::milliseconds limit);

// True if `program` is on the PATH, or is a path to a file that can be run.
bool can_run(const std::string& program);

}  // namespace woa::bench
