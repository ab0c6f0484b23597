// What every program of ours does around its commands: read the command line, run the command, report what went wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/woa/commands.h"

namespace woa::tools {

// Registers a command's options, and the action that runs when it was chosen.
using AddCommand = void (*)(CLI::App& app, Action& action);

// main() of a program named `woa` to its user. `arguments` leaves the program's name out. Returns the exit code; no
// exception leaves it. An answer that could not be written to stdout is a failure, whatever the command did.
int run_command_line(const std::string& about, const std::vector<AddCommand>& commands,
                     std::vector<std::string> arguments);

}  // namespace woa::tools
