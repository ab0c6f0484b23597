// What a compilation had to say, for people and for programs.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/base/status.h"

namespace woa::tools {

// On stderr, each followed by an empty line; in colour on a terminal, unless NO_COLOR is set.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics);
// The list that stands under `diagnostics` in an object of --json (docs/commands.md).
nlohmann::json to_json(const std::vector<Diagnostic>& diagnostics);

// Diagnostics in the format that code hosts, editors and continuous integration read: SARIF 2.1.0 (OASIS, "Static
// Analysis Results Interchange Format").

// A log of one run. Its rules are the codes that occur, explained by their pages (compiler/pages.h). Columns count
// characters (`unicodeCodePoints`); relative paths are relative to the working directory (`PWD`). What the fix says is
// the message's second line: a `fix` of SARIF would have to hold the text to put in.
nlohmann::json to_sarif(const std::vector<Diagnostic>& diagnostics);

// The same into a file, which is written also if there is no diagnostic: a reader sees that what was there is mended.
Status write_sarif(const std::vector<Diagnostic>& diagnostics, const std::filesystem::path& path);

}  // namespace woa::tools
