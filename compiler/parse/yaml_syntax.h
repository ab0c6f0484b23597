// Words the YAML library's complaints for somebody who writes a graph.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/diagnostics/report.h"

namespace woa {

struct YamlComplaint {
  std::string_view context, problem;  // the library's own words
  Place place;                        // where the library noticed
  Place began;                        // where the construct began that it was reading
  std::optional<Place> bracket = {};  // the innermost `{` or `[` that is open there
};

// The text before the first hidden character (runtime/base/text.h) of `text` outside comments and quotes; nothing if
// there is none. `in_words`: characters that writing needs count, too.
std::optional<std::string_view> before_hidden(std::string_view text, bool in_words);
// Reports the hidden character that `text` begins with.
void report_hidden(std::string_view text, const Place& place, Report& report);

// Reports a complaint in our words: what is wrong, and the bracket or quote that was opened before and is not closed.
void report_syntax(const YamlComplaint& complaint, Report& report);

}  // namespace woa
