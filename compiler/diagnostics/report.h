// Collects the problems that the compiler's passes find, and words them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/diagnostics/problems.h"

namespace woa {

// A place in a source of a Report.
struct Place {
  std::uint32_t source = 0;
  std::uint32_t line = 0, column = 0;  // from 1, the column in bytes; line 0: the source as a whole
  std::uint32_t length = 1;            // bytes to underline
  std::uint32_t use = 0;               // the use of a sub-graph that this is seen through (Report::add_use); 0: none
};

// Another place that matters to a problem, such as the first definition of a name.
struct Note {
  Place place;
  std::string text;
};

// Collects diagnostics. Keeps the text of every source, to quote from. After kMaxProblems only counts. A problem
// reported twice counts once, also one of a sub-graph that is seen through several of its uses.
class Report {
 public:
  static constexpr std::size_t kMaxProblems = 100;

  Report() = default;
  // `unsaved` is borrowed (CompileOptions::unsaved).
  explicit Report(const UnsavedTexts& unsaved) : unsaved_(&unsaved) {}
  // The text to use instead of a file's on the disk; null: none.
  [[nodiscard]] const std::string* unsaved(const std::filesystem::path& path) const;

  // Diagnostics show `name`. Returns the number for Place::source.
  std::uint32_t add_source(std::string name, std::string text);
  // The same for a text that is in no file.
  std::uint32_t add_text(std::string name, std::string text);
  // Notes that a source names this file, relative to the source's folder.
  void add_named(std::uint32_t source, const std::string& file);
  // Notes a file that could not be read: once it can be, everything may be different.
  void add_looked_for(std::string path) { named_.push_back(std::move(path)); }
  // The names of all sources that are files, and of the files that they name; some may come twice.
  [[nodiscard]] std::vector<std::string> files() const;
  // Diagnostics of the source note the include at `place`.
  void set_includer(std::uint32_t source, const Place& place) { sources_[source].includer = place; }
  // Adds the use of a sub-graph at `place`, which is `stage` in the flat graph. Returns the number for Place::use of
  // places seen through it, whose problems then note it.
  std::uint32_t add_use(std::string stage, const Place& place);
  [[nodiscard]] const std::string& text(std::uint32_t source) const { return sources_[source].text; }
  // The page of the documentation that describes the form of a source.
  void set_manual(std::uint32_t source, std::string_view page) { sources_[source].manual = page; }
  [[nodiscard]] std::string_view manual(std::uint32_t source) const { return sources_[source].manual; }
  // The line of a place, without its end; empty for a source as a whole.
  std::string_view line(const Place& place);

  void error(std::string_view code, const Place& place, std::string text, std::string fix = {},
             std::vector<Note> notes = {});
  // A problem that does not keep the graph from being compiled; errors() leaves it out.
  void warning(std::string_view code, const Place& place, std::string text, std::string fix);
  // The line holds a secret: no diagnostic quotes it.
  void hide_line(const Place& place) { hidden_.insert({place.source, place.line}); }
  [[nodiscard]] std::size_t errors() const noexcept { return errors_; }
  // True if no further text would be shown.
  [[nodiscard]] bool full() const noexcept { return errors_ >= kMaxProblems; }

  // Everything reported, in order of place.
  std::vector<Diagnostic> take();

 private:
  struct Source {
    std::string name, text;
    std::vector<std::size_t> lines;  // where each begins; found when first needed
    std::optional<Place> includer = std::nullopt;
    std::string_view manual = "docs/graph-language.md";
    bool is_file = true;
  };
  struct Use {
    std::string stage;
    Place place;
  };
  struct Entry {
    Severity severity;
    std::string_view code;  // of problems.h
    Note error;
    std::string fix;
    std::vector<Note> notes;
    std::string seen;  // the text without the name of the use
  };

  [[nodiscard]] std::string without_use(const Place& place, std::string_view text) const;
  void add_origin(const Place& place, std::vector<Note>& notes) const;
  void locate(Note& note, SourceMessage& message);

  const UnsavedTexts* unsaved_ = nullptr;
  std::vector<Source> sources_;
  std::vector<std::string> named_;
  std::vector<Entry> entries_;
  std::vector<Use> uses_{{}};                                 // [0] none
  std::set<std::pair<std::uint32_t, std::uint32_t>> hidden_;  // source, line
  std::size_t errors_ = 0;
};

// `name`, with control characters shown and long ones cut.
std::string quote(std::string_view name);
// quote() for a path, which is useless when cut.
std::string quote_path(const std::filesystem::path& path);
// "`a`, `b` and `c`"; long lists are cut.
std::string quote_list(const std::vector<std::string>& names);
// The fix of every unknown name: "did you mean `x`?" with the accepted names, else to name one of them, else to remove
// it. `what` is in the plural.
std::string suggest(std::string_view name, const std::vector<std::string>& candidates, std::string_view what);

namespace internal {
inline void append(std::string& text, std::string_view part) { text.append(part); }
template <class Number>
requires std::is_arithmetic_v<Number>
void append(std::string& text, Number part) { text += std::to_string(part); }
}  // namespace internal

// All parts as one text.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  (internal::append(text, parts), ...);
  return text;
}

// "It is named here, too": notes for a name at several places, the first of them reported.
std::vector<Note> other_uses(const std::vector<Place>& places);

// Reports a name that is none of `items` (anything with a `name`). Returns the one of the first 5000 that is most like
// it; empty if none is, or if the report is full.
template <class Items>
std::string report_unknown(Report& report, std::string_view code, const Place& place, std::string text,
                           std::string_view name, const Items& items, std::string_view what,
                           std::vector<Note> notes = {}) {
  constexpr std::size_t kMaxCompared = 5000;
  std::vector<std::string> names;
  for (const auto& item : items) {
    if (report.full() || names.size() == kMaxCompared) break;
    names.push_back(item.name);
  }
  report.error(code, place, std::move(text), suggest(name, names, what), std::move(notes));
  return nearest(name, names);
}

}  // namespace woa
