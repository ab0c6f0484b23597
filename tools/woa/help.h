// The order of `--help`, and `woa help`.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/woa/commands.h"

namespace woa::tools {

// Adds `woa help [COMMAND...]`, which prints what `woa COMMAND --help` prints. Then puts the options of all commands in
// groups and an example at the end of each, so it comes after every other command.
void add_help(CLI::App& app, Action& action);

}  // namespace woa::tools
