// The process around a command: its descriptors and signals at the start, where output goes, and its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace woa::tools {

// The body of main(): prepares the process, calls `command` and returns its exit code, or kFailed if its answer could
// not be written. `arguments` omits the program's name. With --json among the arguments only print_json() reaches
// stdout: what kernels, drivers and other libraries print goes to stderr.
int run_process(const std::vector<std::string>& arguments, const std::function<int()>& command);

// Ends the process as main() would, but without destructors: something in it cannot be ended.
[[noreturn]] void end_process(int exit_code);
// Without a word: no handler, no destructor, and nothing that kernel_watch.h could take for a kernel's.
[[noreturn]] void leave_process(int exit_code);

// True if --json is given; for errors before the options are read.
bool wants_json(const std::vector<std::string>& arguments);

// Call before another program replaces this process: its output then goes where answers went.
void hand_on_stdout();

// While it lives, what this process prints on stdout goes to stderr: kernels run in it. One thread; may be nested.
class ForeignOutput {
 public:
  ForeignOutput();
  ~ForeignOutput();
  ForeignOutput(const ForeignOutput&) = delete;
  ForeignOutput& operator=(const ForeignOutput&) = delete;

 private:
  int stdout_ = -1;  // the real stdout, meanwhile
  int before_ = -1;  // the user's stdout before
};

}  // namespace woa::tools
