#include "compiler/parse/yaml_syntax.h"

#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace woa {
namespace {

// What the parser's complaints mean to somebody who writes a graph.
std::string explain(const std::string& complaint) {
  using namespace YAML::ErrorMsg;
  const std::array<std::pair<std::string_view, std::string_view>, 17> known{{
      {END_OF_MAP_FLOW, "a `{` opened before is not closed, or a comma is missing"},
      {END_OF_SEQ_FLOW, "a `[` opened before is not closed, or a comma is missing"},
      {END_OF_MAP, "this line does not continue the map above: check its indentation and its colon"},
      {END_OF_SEQ, "this line does not continue the list above: check its indentation"},
      {TAB_IN_INDENTATION, "a tab in the indentation: YAML takes spaces only"},
      {FLOW_END, "a `}` or `]` that closes nothing"},
      {BLOCK_ENTRY, "a list item (`- `) cannot stand here"},
      {MAP_KEY, "a key cannot stand here"},
      {MAP_VALUE, "a `: ` that follows no key"},
      {EOF_IN_SCALAR, "the text ends within quotes"},
      {DOC_IN_SCALAR, "a line of `---` or `...` within quotes"},
      {CHAR_IN_SCALAR, "a character that cannot begin a value: quote the text"},
      {UNKNOWN_TOKEN, "a character that cannot begin a value: quote the text"},
      {INVALID_ESCAPE, "an unknown escape in double quotes: use single quotes for text with backslashes"},
      {INVALID_HEX, "a bad hexadecimal escape in double quotes"},
      {UNKNOWN_ANCHOR, "an alias (`*name`), which is not part of this language: write the value out"},
      {ALIAS_NOT_FOUND, "`*` begins an alias, which is not part of this language: quote the text"},
  }};
  for (const auto& [theirs, ours] : known) {
    if (complaint.starts_with(theirs)) return std::string(ours);
  }
  return "the text from here on is not valid YAML";
}

// A bracket or a quote that is open at some place, and where it was opened.
struct Opened {
  char what = 0;
  Place place;
};

// Walks over a text as the parser does, as far as brackets and quotes go.
class BracketScanner {
 public:
  explicit BracketScanner(std::uint32_t source) : at_{source, 1, 1, 1} {}

  // The innermost that is open after `text`.
  std::optional<Opened> run(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      step(text[i], i > 0 ? text[i - 1] : '\n');
      at_.column = text[i] == '\n' ? 1 : at_.column + 1;
      if (text[i] == '\n') ++at_.line;
    }
    return open_.empty() ? std::nullopt : std::optional(open_.back());
  }
  static bool is_quote(char c) { return c == '"' || c == '\''; }

 private:
  void step(char c, char previous) {
    if (c == '\n') {
      comment_ = false;
      before_ = '\n';
    }
    if (comment_ || std::exchange(escaped_, false)) return;
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    const char quote = open_.empty() || !is_quote(open_.back().what) ? '\0' : open_.back().what;
    if (quote != '\0') {
      escaped_ = quote == '"' && c == '\\';
      if (c == quote) open_.pop_back();  // of a doubled single quote the second one opens again
    } else if (c == '#' && (previous == ' ' || previous == '\t' || previous == '\n')) {
      comment_ = true;
    } else if ((is_quote(c) && (begins_value() || previous == c)) ||
               ((c == '{' || c == '[') && (!open_.empty() || begins_value()))) {
      open_.push_back({c, at_});
    } else if ((c == '}' || c == ']') && !open_.empty()) {
      open_.pop_back();
    }
    if (!blank) before_ = c;
  }
  // Elsewhere a quote is part of a plain text, and so is a bracket outside of others.
  [[nodiscard]] bool begins_value() const {
    return std::string_view("\n:,-?[{").find(before_) != std::string_view::npos;
  }

  Place at_;
  std::vector<Opened> open_;
  char before_ = '\n';  // the last character of the line that is no blank, or its beginning
  bool comment_ = false, escaped_ = false;
};

// What was opened before is not closed, as far as the parser could see.
bool ends_early(const std::string& complaint) {
  using namespace YAML::ErrorMsg;
  const std::array<std::string_view, 4> known{END_OF_MAP_FLOW, END_OF_SEQ_FLOW, EOF_IN_SCALAR, DOC_IN_SCALAR};
  return std::any_of(known.begin(), known.end(), [&](std::string_view text) { return complaint.starts_with(text); });
}

// The text before a place.
std::string_view text_before(const Place& place, Report& report) {
  const std::string_view text = report.text(place.source), line = report.line(place);
  if (place.line == 0 || line.data() == nullptr) return text;
  return text.substr(
      0, static_cast<std::size_t>(line.data() - text.data()) + std::min<std::size_t>(place.column - 1, line.size()));
}

std::string fix_for(const std::string& complaint, const Place& place, Report& report) {
  const std::string_view line = report.line(place);
  const std::string_view before = line.substr(0, std::min<std::size_t>(place.column - 1, line.size()));
  if (complaint.starts_with(YAML::ErrorMsg::MAP_VALUE)) {
    return before.find(": ") != std::string_view::npos ? "if the colon is part of a text, put the text into quotes"
                                                       : "the line above may lack its colon, as in `stages:`";
  }
  const bool flow = complaint.starts_with(YAML::ErrorMsg::END_OF_MAP_FLOW);
  const bool bracket =
      before.size() < line.size() && line[before.size()] == '[' && !before.empty() && before.back() != ' ';
  if (flow && bracket) return "a text with brackets needs quotes: `type: \"u8[height,width]\"`";
  return "see docs/graph.md for the form of a file";
}

}  // namespace

void report_syntax(const std::string& complaint, const Place& place, Report& report) {
  const std::string_view line = report.line(place);
  if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos) {
    report.error(problem::kNotYaml, place, explain(YAML::ErrorMsg::TAB_IN_INDENTATION), "indent with spaces");
    return;
  }
  const std::optional<Opened> opened =
      ends_early(complaint) ? BracketScanner(place.source).run(text_before(place, report)) : std::nullopt;
  const bool quote = opened && BracketScanner::is_quote(opened->what);
  if (opened && (quote || line.empty())) {  // the end of the file would tell nothing
    report.error(problem::kNotYaml, opened->place, cat("a `", std::string(1, opened->what), "` that is not closed"),
                 quote ? "close it on the same line" : "close it, or look for one too much above it");
    return;
  }
  std::vector<Note> notes;
  if (opened) notes.push_back({opened->place, cat("`", std::string(1, opened->what), "` is opened here")});
  report.error(problem::kNotYaml, place, explain(complaint), fix_for(complaint, place, report), std::move(notes));
}

}  // namespace woa
