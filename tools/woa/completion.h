// Completes command lines for the shells (tools/completion).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace woa::tools {

// Lines of `WORD<tab>description`, each a candidate for the last of `words`, which omit the program's name.
// Candidates are commands, options, and values of options that have a choice. Files and free texts have none.
std::string completions(const CLI::App& app, std::vector<std::string> words);

}  // namespace woa::tools
