// The frame of every program of ours around its commands: reads the command line, runs the command, reports what went
// wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/woa/commands.h"

namespace woa::tools {

// Registers a command's options, and the action that runs if the command is chosen.
using AddCommand = void (*)(CLI::App& app, Action& action);

// First arguments that ask about the commands instead of running one. `--complete WORD...` prints what may stand in
// place of the last word (completion.h), `--manual [COMMAND]` a manual page (manual.h).
inline constexpr const char* kComplete = "--complete";
inline constexpr const char* kManual = "--manual";

// main() of a program that its user calls `woa`. `arguments` omits the program's name. Returns the exit code; no
// exception leaves it. An answer that could not be written to stdout is a failure, whatever the command did.
int run_command_line(const std::string& about, const std::vector<AddCommand>& commands,
                     std::vector<std::string> arguments);

// The subcommand of `app` of that name, or null.
const CLI::App* find_command(const CLI::App& app, const std::string& name);
// The message that there is no such command, with the one most like it.
std::string unknown_command(const CLI::App& app, const std::string& name);
// The message for `error`, thrown by `app`: the mistake, the most similar name, and where to read about usage.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// The message for an option of the command that was given an empty text, as from an unset shell variable. No option
// takes one. Empty: there is no such option.
std::string empty_value(const CLI::App& app);

}  // namespace woa::tools
