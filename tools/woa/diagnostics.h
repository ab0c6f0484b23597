// The diagnostics of a compilation, for people and for programs.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/base/status.h"

namespace woa::tools {

// Prints to stderr, each followed by an empty line; in colour on a terminal, unless NO_COLOR is set.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics);
// The value of `diagnostics` in an object of --json (docs/commands.md).
nlohmann::json to_json(const std::vector<Diagnostic>& diagnostics);

// SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"): a log of one run. Its rules are the codes that
// occur, explained by their pages (compiler/diagnostics/pages.h). Columns count characters (`unicodeCodePoints`);
// relative paths are relative to the working directory (`PWD`). The fix is the message's second line: a `fix` of SARIF
// would have to hold the text to insert.
nlohmann::json to_sarif(const std::vector<Diagnostic>& diagnostics);

// Writes that log to a file, also without diagnostics: a reader then sees that earlier problems are mended.
Status write_sarif(const std::vector<Diagnostic>& diagnostics, const std::filesystem::path& path);

}  // namespace woa::tools
