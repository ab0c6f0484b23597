#include "compiler/report.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace woa {
namespace {

constexpr std::size_t kMaxQuotedColumn = 240;  // a line is quoted up to here
constexpr std::size_t kMaxNameShown = 64;
constexpr std::size_t kMaxPathShown = 4096;  // the longest that a system opens
constexpr std::size_t kMaxListed = 24;

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::uint32_t characters(std::string_view bytes) {
  return static_cast<std::uint32_t>(std::count_if(bytes.begin(), bytes.end(), starts_character));
}

// At most `bytes` of `text`, not cut within a character.
std::string_view cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && !starts_character(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string quote_up_to(std::size_t bytes, std::string_view name) {
  std::string text = "`";
  const std::string_view shown = cut(name, bytes);
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return text + (shown.size() < name.size() ? "...`" : "`");
}

// Edits (insert, delete, replace, swap neighbours) from a to b, or `limit` if there are as many or more. Both are at
// most kMaxNameShown long.
std::size_t edits(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) return limit;
  std::array<std::array<std::size_t, kMaxNameShown + 1>, 3> rows{};  // of the last three characters of a
  for (std::size_t i = 0; i <= a.size(); ++i) {
    auto &row = rows[i % 3], &above = rows[(i + 2) % 3], &top = rows[(i + 1) % 3];
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        row[j] = i + j;
        continue;
      }
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], top[j - 2] + 1);
    }
  }
  return std::min(limit, rows[a.size() % 3][b.size()]);
}

}  // namespace

std::uint32_t Report::add_source(std::string name, std::string text) {
  sources_.push_back({std::move(name), std::move(text), {}});
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

std::string_view Report::line(const Place& place) {
  Source& source = sources_[place.source];
  if (source.lines.empty()) {
    source.lines.push_back(0);
    for (std::size_t i = 0; i < source.text.size(); ++i) {
      if (source.text[i] == '\n') source.lines.push_back(i + 1);
    }
  }
  if (place.line == 0 || place.line > source.lines.size()) return {};
  const std::size_t begin = source.lines[place.line - 1];
  std::string_view line = std::string_view(source.text).substr(begin);
  line = line.substr(0, line.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

void Report::error(std::string_view code, const Place& place, std::string text, std::string fix) {
  if (++errors_ > kMaxProblems) return;
  Diagnostic d;
  d.code = code;
  d.file = sources_[place.source].name;
  d.line = place.line;
  d.text = std::move(text);
  d.fix = std::move(fix);
  const std::string_view quoted = line(place);
  const std::size_t before = std::min<std::size_t>(place.column == 0 ? 0 : place.column - 1, quoted.size());
  d.column = place.line == 0 ? 0 : characters(quoted.substr(0, before)) + 1;
  if (before < kMaxQuotedColumn) {
    d.source_line = cut(quoted, kMaxQuotedColumn);
    const std::string_view marked = std::string_view(d.source_line).substr(std::min(before, d.source_line.size()));
    d.length = std::max(1U, characters(marked.substr(0, place.length)));
  }
  entries_.push_back({std::move(d), place.source});
}

std::vector<Diagnostic> Report::take() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.source, a.diagnostic.line, a.diagnostic.column) <
           std::tie(b.source, b.diagnostic.line, b.diagnostic.column);
  });
  std::vector<Diagnostic> out;
  for (Entry& entry : entries_) {
    if (hidden_.contains({entry.source, entry.diagnostic.line})) entry.diagnostic.source_line.clear();
    out.push_back(std::move(entry.diagnostic));
  }
  if (errors_ > kMaxProblems) {
    Diagnostic more;
    more.code = problem::kTooMany;
    more.file = out.front().file;
    more.text = cat("there are ", errors_ - kMaxProblems, " more problems that are not shown");
    more.fix = "mend those above first";
    out.push_back(std::move(more));
  }
  return out;
}

std::string quote(std::string_view name) { return quote_up_to(kMaxNameShown, name); }
std::string quote_path(const std::filesystem::path& path) { return quote_up_to(kMaxPathShown, path.string()); }

std::string quote_list(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text = quote(names[0]);
  const std::size_t shown = std::min(names.size(), kMaxListed);
  for (std::size_t i = 1; i < shown; ++i) text += (i + 1 == names.size() ? " and " : ", ") + quote(names[i]);
  return shown < names.size() ? text + cat(" and ", names.size() - shown, " more") : text;
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kMaxNameShown) return {};
  std::size_t best = std::min<std::size_t>(4, name.size() / 3 + 2);
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kMaxNameShown) continue;
    if (const std::size_t n = edits(name, candidate, best); n < best) {
      best = n;
      found = candidate;
    }
  }
  return found;
}

std::string suggest(std::string_view name, const std::vector<std::string>& candidates, std::string_view what) {
  const std::string near = nearest(name, candidates);
  const std::string accepted = cat(what, ": ", quote_list(candidates));
  return near.empty() ? accepted : cat("did you mean ", quote(near), "? ", accepted);
}

std::string format(const Diagnostic& diagnostic, bool color) {
  const auto paint = [color](std::string_view code, const std::string& text) {
    return color ? cat("\033[", code, "m", text, "\033[0m") : text;
  };
  std::string place = diagnostic.file;
  if (diagnostic.line != 0) place += cat(":", diagnostic.line, ":", diagnostic.column);
  std::string out = paint("1", place + ":") + " " + paint("1;31", cat("error[", diagnostic.code, "]:")) + " " +
                    diagnostic.text + "\n";
  if (!diagnostic.source_line.empty()) {
    std::string caret;  // under the place: tabs stay tabs, so that the caret does not move
    for (const char c : diagnostic.source_line) {
      if (!starts_character(c)) continue;
      if (characters(caret) + 1 >= diagnostic.column) break;
      caret += c == '\t' ? '\t' : ' ';
    }
    const std::string marks = diagnostic.length > 1 ? std::string(diagnostic.length - 1, '~') : std::string();
    out += "  " + diagnostic.source_line + "\n  " + caret + paint("1;32", "^" + marks) + "\n";
  }
  if (!diagnostic.fix.empty()) out += "  fix: " + diagnostic.fix + "\n";
  return out;
}

}  // namespace woa
