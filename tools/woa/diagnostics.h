// What a compilation had to say, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "compiler/compiler.h"

namespace woa::tools {

// On stderr, each followed by an empty line; in colour on a terminal, unless NO_COLOR is set.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics);
// The list that stands under `diagnostics` in an object of --json (docs/commands.md).
nlohmann::json to_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace woa::tools
