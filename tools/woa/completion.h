// What may follow on a command line, for the shells' completion (tools/completion).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace woa::tools {

// Lines of `WORD<tab>description`: what may stand in place of the last of `words`, which omit the program's name.
// Commands, options, and values of options that have a choice. Nothing: a file, or a text of the user's.
std::string completions(const CLI::App& app, std::vector<std::string> words);

}  // namespace woa::tools
