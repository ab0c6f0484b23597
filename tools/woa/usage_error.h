// What is said of a command line that cannot be read.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace woa::tools {

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
