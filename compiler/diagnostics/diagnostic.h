// An error or warning of the compiler, and its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace woa {

// A message about a place in a file.
struct SourceMessage {
  std::string file;                    // or kCommandLine
  std::uint32_t line = 0, column = 0;  // from 1, the column in characters; 0: the file as a whole
  std::uint32_t length = 1;            // characters to underline
  std::string text;
  std::string source_line;  // the line, or the part around the place; empty if it cannot be quoted or holds a secret
  std::uint32_t caret = 0;  // characters of it before the place
};

// Stands for the file where an option is wrong.
inline constexpr std::string_view kCommandLine = "command line";

enum class Severity : std::uint8_t {
  kError,    // there is no plan
  kWarning,  // the plan may run, but perhaps not here
};
// The word of a severity, as all outputs have it: "error", "warning".
std::string_view to_string(Severity severity) noexcept;

// One problem, with its place. Printed as `file:line:col: error[CODE]: text`, the line, a caret and a fix, and then
// each note in the same way (format()). A warning says `warning` instead.
struct Diagnostic : SourceMessage {  // the text: what is wrong and what was expected
  Severity severity = Severity::kError;
  std::string code;                  // "E0104": one number per kind of problem, never reused; pages.h explains it
  std::string fix;                   // what to do; may be empty
  std::vector<SourceMessage> notes;  // other places that matter to it
};
std::string format(const Diagnostic& diagnostic, bool color);

// The candidate that is most like `name`, by few edits or by its beginning; empty if none is.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// Texts of files that an editor has open, perhaps unsaved, by file_identity().
using UnsavedTexts = std::map<std::filesystem::path, std::string>;
// The same path for the same file, whichever links lead to it.
std::filesystem::path file_identity(const std::filesystem::path& path);

}  // namespace woa
