// Manual pages of the commands, from the same descriptions as their --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace woa::tools {

// The page of `command`, which its user calls `name` ("woa run"), in the language of man(7).
std::string manual_page(const CLI::App& command, const std::string& name);

}  // namespace woa::tools
