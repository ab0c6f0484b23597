// The page of each kind of problem. docs/diagnostics.md, their only source, is built in for `woa explain CODE` and for
// the rules of SARIF.
#pragma once

#include <optional>
#include <string_view>

namespace woa {

struct ProblemPage {
  std::string_view title;  // "the file is not YAML"
  std::string_view text;   // Markdown: what it means, the fix, and for most an example
};

// The page of a code ("E0104"), nothing if there is no such code. The views stay valid.
std::optional<ProblemPage> problem_page(std::string_view code) noexcept;

// True if `text` has the form of a code, `E` and digits, even without a page.
bool is_problem_code(std::string_view text) noexcept;

}  // namespace woa
