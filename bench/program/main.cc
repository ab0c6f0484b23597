// woa-bench: the benchmarks. `woa bench ...` runs this program, which lies beside `woa`, so that `woa` links none of
// them.
#include "tools/woa/command_line.h"

int main(int argc, char** argv) {
  using namespace woa::tools;
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const bool asks = !arguments.empty() && (arguments[0] == kComplete || arguments[0] == kManual);
  arguments.insert(arguments.begin() + (asks ? 1 : 0), "bench");  // the user typed it
  return run_command_line("woa - micro-benchmarks of the fabric", {add_bench}, std::move(arguments));
}
