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

// What is said of a command line that cannot be read.

// The subcommand of `app` of that name, or null.
const CLI::App* find_command(const CLI::App& app, const std::string& name);
// That there is no such command; the one that is most like it.
std::string unknown_command(const CLI::App& app, const std::string& name);
// What is wrong, what is like what was given, and where to read what is taken. `app` is what threw `error`.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// Of a command that was read: an option that was given an empty text, as by a variable of the shell that is not set.
// Nothing takes one. Empty: there is none such.
std::string empty_value(const CLI::App& app);

}  // namespace woa::tools
