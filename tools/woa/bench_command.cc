// woa bench: hands over to the program woa-bench, which lies beside this one.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "library/environment.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/process.h"

namespace woa::tools {

int become_bench(std::vector<std::string> arguments) {
  const std::string bench = program("woa-bench").string();
  arguments.insert(arguments.begin(), bench);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  hand_on_stdout();
  ::execv(bench.c_str(), pointers.data());
  const std::string reason = bench + ": " + std::strerror(errno);
  return fail({Code::kUnavailable,
               reason + "; the benchmarks are a program of their own, which `make build` leaves beside woa"},
              kUnavailable, std::ranges::find(arguments, "--json") != arguments.end());
}

void add_bench(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("bench", "Micro-benchmarks of the fabric");
  command.set_help_flag();  // --help and all other options belong to woa-bench
  command.prefix_command();
  command.callback([&command, &action] { action = [&command] { return become_bench(command.remaining()); }; });
}

}  // namespace woa::tools
