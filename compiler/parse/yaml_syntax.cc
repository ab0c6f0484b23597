#include "compiler/parse/yaml_syntax.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/text.h"

namespace woa {
namespace {

struct Known {
  std::string_view context, problem, means;  // an empty context matches any
};

constexpr std::string_view kTab = "found a tab character", kNoKey = "mapping values are not allowed",
                           kNoColon = "could not find expected ':'", kQuoted = "while scanning a quoted scalar",
                           kFlow = "while parsing a flow", kNoCharacter = "found invalid Unicode character escape code";

constexpr std::array<Known, 21> kKnown{{
    {"while parsing a flow mapping", "did not find expected ',' or '}'",
     "a `{` opened before is not closed, or a comma is missing"},
    {"while parsing a flow sequence", "did not find expected ',' or ']'",
     "a `[` opened before is not closed, or a comma is missing"},
    {"while parsing a block mapping", "did not find expected key",
     "this line does not continue the map above: check its indentation and its colon"},
    {"while parsing a block collection", "did not find expected '-' indicator",
     "this line does not continue the list above: check its indentation"},
    {"", "did not find expected <document start>",
     "nothing can follow here: check the indentation, and what is open above"},
    {"while parsing a flow node", "did not find expected node content",
     "a value is missing here, or a `{` or `[` opened before is not closed"},
    {"", "did not find expected node content", "a value is missing here"},
    {"", kTab, "a tab in the indentation: YAML takes spaces only"},
    {"", "block sequence entries are not allowed", "a list item (`- `) cannot stand here"},
    {"", "mapping keys are not allowed", "a key cannot stand here"},
    {"", kNoKey, "a `: ` that follows no key"},
    {"", kNoColon, "a key without its colon"},
    {kQuoted, "found unexpected end of stream", "the text ends within quotes"},
    {kQuoted, "found unexpected document indicator", "a line of `---` or `...` within quotes"},
    {"", "found character that cannot start any token", "a character that cannot begin a value: quote the text"},
    {"", "found unknown escape character",
     "an unknown escape in double quotes: use single quotes for text with backslashes"},
    {"", "did not find expected hexdecimal number", "a bad hexadecimal escape in double quotes"},
    {"", kNoCharacter, "an escape in double quotes that is no character, such as half of a pair (`\\ud83d`)"},
    {"", "control characters are not allowed", "a character that YAML does not take"},
    {"while scanning an alias", "", "`*` begins an alias, which is not part of this language: quote the text"},
    {"while scanning an anchor", "", "`&` begins an anchor, which is not part of this language: quote the text"},
}};

std::string explain(std::string_view context, std::string_view problem) {
  for (const Known& known : kKnown) {
    if (context.starts_with(known.context) && problem.starts_with(known.problem)) return std::string(known.means);
  }
  return "the text from here on is not valid YAML";
}

std::string_view line_from(const Place& place, Report& report) {
  const std::string_view line = report.line(place);
  return line.substr(std::min<std::size_t>(place.column == 0 ? 0 : place.column - 1, line.size()));
}

std::string fix_for(const YamlComplaint& complaint, Report& report) {
  const std::string_view rest = line_from(complaint.place, report), line = report.line(complaint.place);
  const std::string_view before = line.substr(0, line.size() - rest.size());
  if (complaint.problem.starts_with(kNoKey)) {
    return before.find(": ") != std::string_view::npos ? "if the colon is part of a text, put the text into quotes"
                                                       : "the line above may lack its colon, as in `stages:`";
  }
  if (complaint.problem.starts_with(kNoColon)) return "write `KEY: VALUE`";
  if (complaint.problem.starts_with(kNoCharacter))
    return "write the character itself, or both halves of its pair: `\\ud83d\\ude00`";
  if (complaint.bracket && rest.starts_with('[') && !before.empty() && before.back() != ' ')
    return "a text with brackets needs quotes: `type: \"u8[height,width]\"`";
  return cat("see ", report.manual(complaint.place.source), " for the form of a file");
}

void report_open(const Place& place, std::string fix, Report& report) {
  report.error(problem::kNotYaml, place, cat("a `", line_from(place, report).substr(0, 1), "` that is not closed"),
               std::move(fix));
}

// Bytes of the comment or the quoted text that `rest` begins with; 0: neither. `before` precedes it.
std::size_t unread_bytes(std::string_view before, std::string_view rest) {
  const bool after_blank = before.empty() || std::string_view(" \t\n[{,").find(before.back()) != std::string_view::npos;
  if (rest[0] == '#' && after_blank) return std::min(rest.find('\n'), rest.size());
  if (!after_blank || (rest[0] != '"' && rest[0] != '\'')) return 0;
  const std::size_t close = rest.find(rest[0], 1);
  return close == std::string_view::npos ? rest.size() : close + 1;
}

}  // namespace

std::optional<std::string_view> before_hidden(std::string_view text, bool in_words) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (const std::size_t unread = unread_bytes(text.substr(0, at), rest)) {
      at += unread;
      continue;
    }
    const HiddenCharacter* hidden = hidden_character(rest);
    if (hidden != nullptr && (in_words || !hidden->in_words)) return text.substr(0, at);
    at += std::max<std::size_t>(utf8_length(rest), 1);
  }
  return std::nullopt;
}

void report_hidden(std::string_view text, const Place& place, Report& report) {
  const HiddenCharacter& hidden = *hidden_character(text);
  report.error(
      problem::kNotYaml, place,
      cat(name_of(hidden, text), " here, which editors ", hidden.blank ? "show as a blank" : "do not show"),
      cat(hidden.blank ? "write a blank" : "remove it", "; if a text is to have it, put the text into quotes"));
}

void report_syntax(const YamlComplaint& complaint, Report& report) {
  const Place& place = complaint.place;
  const std::string_view line = report.line(place), rest = line_from(place, report);
  const auto error = [&](const Place& where, std::string text, std::string fix, std::vector<Note> notes = {}) {
    report.error(problem::kNotYaml, where, std::move(text), std::move(fix), std::move(notes));
  };
  if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos)
    return error(place, explain({}, kTab), "indent with spaces");
  if (complaint.context.starts_with(kQuoted)) return report_open(complaint.began, "close it on the same line", report);
  if (complaint.problem.starts_with(kNoColon))
    return error(complaint.began, explain(complaint.context, complaint.problem), fix_for(complaint, report));
  if (!complaint.bracket && (rest.starts_with('}') || rest.starts_with(']')))
    return error(place, cat("a `", rest.substr(0, 1), "` that closes nothing"),
                 "remove it, or look for what it is to close");
  std::vector<Note> notes;
  if (complaint.bracket && complaint.context.starts_with(kFlow)) {
    const Place& open = *complaint.bracket;
    if (line.empty())  // the end of the file would tell nothing
      return report_open(open, "close it, or look for one too much above it", report);
    notes.push_back({open, cat("`", line_from(open, report).substr(0, 1), "` is opened here")});
  }
  error(place, explain(complaint.context, complaint.problem), fix_for(complaint, report), std::move(notes));
}

}  // namespace woa
