#include "compiler/diagnostics/report.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <tuple>
#include <utility>

#include "runtime/base/text.h"

namespace woa {
namespace {

constexpr std::size_t kMaxQuoted = 240;  // bytes of a line
constexpr std::size_t kMaxNameShown = 64;
constexpr std::size_t kMaxPathShown = 4096;  // the longest that a system opens
constexpr std::size_t kMaxListed = 24;
constexpr std::size_t kMaxOriginsShown = 8;

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
  const std::string_view shown = cut(name, bytes);
  return "`" + printable(shown) + (shown.size() < name.size() ? "...`" : "`");
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

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// True if both begin alike: `sharpen` and `sharpen3x3`, `parameters` and `params`.
bool begin_alike(std::string_view a, std::string_view b) {
  constexpr std::size_t kTelling = 2, kLong = 5;  // characters
  const auto common = static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t shorter = std::min(a.size(), b.size());
  return common >= kTelling && common + (shorter >= kLong ? 1 : 0) >= shorter;
}

std::string paint(std::string_view style, std::string_view text, bool color) {
  return color ? cat("\033[", style, "m", text, "\033[0m") : std::string(text);
}

// The place, `kind` in `style`, the text, the line and the caret.
std::string format(const SourceMessage& message, std::string_view kind, std::string_view style, bool color) {
  const std::string place = message.line == 0 ? "" : cat(":", message.line, ":", message.column);
  std::string out =
      cat(paint("1", cat(message.file, place, ":"), color), " ", paint(style, kind, color), " ", message.text, "\n");
  if (message.source_line.empty()) return out;
  std::string caret;  // under the place: tabs stay tabs, so that the caret does not move
  for (const char c : message.source_line) {
    if (!starts_character(c)) continue;
    if (caret.size() == message.caret) break;
    caret += c == '\t' ? '\t' : ' ';
  }
  const std::string marks = message.length > 1 ? std::string(message.length - 1, '~') : std::string();
  return out + "  " + message.source_line + "\n  " + caret + paint("1;32", "^" + marks, color) + "\n";
}

}  // namespace

const std::string* Report::unsaved(const std::filesystem::path& path) const {
  if (unsaved_ == nullptr || unsaved_->empty()) return nullptr;
  const auto found = unsaved_->find(file_identity(path));
  return found == unsaved_->end() ? nullptr : &found->second;
}

std::uint32_t Report::add_source(std::string name, std::string text) {
  sources_.push_back({std::move(name), std::move(text), {}, {}});
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

std::uint32_t Report::add_text(std::string name, std::string text) {
  const std::uint32_t source = add_source(std::move(name), std::move(text));
  sources_[source].is_file = false;
  return source;
}

void Report::add_named(std::uint32_t source, const std::string& file) {
  if (!file.empty()) named_.push_back((std::filesystem::path(sources_[source].name).parent_path() / file).string());
}

std::vector<std::string> Report::files() const {
  std::vector<std::string> names = named_;
  for (const Source& source : sources_)
    if (source.is_file && source.name != kCommandLine) names.push_back(source.name);
  return names;
}

std::uint32_t Report::add_use(std::string stage, const Place& place) {
  uses_.push_back({std::move(stage), place});
  return static_cast<std::uint32_t>(uses_.size() - 1);
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

void Report::error(std::string_view code, const Place& place, std::string text, std::string fix,
                   std::vector<Note> notes) {
  std::string seen = without_use(place, text);
  const auto here = [&](const Entry& entry) {
    const Place& other = entry.error.place;
    return std::tie(other.source, other.line, other.column) == std::tie(place.source, place.line, place.column) &&
           entry.code == code && entry.seen == seen;
  };
  if (std::any_of(entries_.begin(), entries_.end(), here) || ++errors_ > kMaxProblems) return;
  entries_.push_back(
      {Severity::kError, code, {place, std::move(text)}, std::move(fix), std::move(notes), std::move(seen)});
}

void Report::warning(std::string_view code, const Place& place, std::string text, std::string fix) {
  entries_.push_back({Severity::kWarning, code, {place, std::move(text)}, std::move(fix), {}, {}});
}

std::string Report::without_use(const Place& place, std::string_view text) const {
  std::string rest(text);
  if (place.use == 0) return rest;
  const std::string prefix = uses_[place.use].stage + "/";
  for (auto at = rest.find(prefix); at != std::string::npos; at = rest.find(prefix, at)) rest.erase(at, prefix.size());
  return rest;
}

// Adds notes on the uses that the place is seen through, innermost first, and on the includes that led to its file.
void Report::add_origin(const Place& place, std::vector<Note>& notes) const {
  std::size_t shown = 0;
  for (std::uint32_t use = place.use; use != 0 && shown < kMaxOriginsShown; use = uses_[use].place.use, ++shown) {
    notes.push_back({uses_[use].place, cat("in the sub-graph that is used here, as stage ", quote(uses_[use].stage))});
  }
  shown = 0;
  for (auto includer = sources_[place.source].includer; includer && shown < kMaxOriginsShown; ++shown) {
    notes.push_back({*includer, "included from here"});
    includer = sources_[includer->source].includer;
  }
}

// Fills in the text, the place in characters, and the line.
void Report::locate(Note& note, SourceMessage& message) {
  const Place& place = note.place;
  message.file = sources_[place.source].name;
  message.text = std::move(note.text);
  message.line = place.line;
  std::string_view quoted = line(place);
  std::size_t before = std::min<std::size_t>(place.column == 0 ? 0 : place.column - 1, quoted.size());
  if (place.line == 1 && quoted.starts_with(kByteOrderMark)) {
    quoted.remove_prefix(kByteOrderMark.size());
    before -= std::min(before, kByteOrderMark.size());
  }
  message.column = place.line == 0 ? 0 : characters(quoted.substr(0, before)) + 1;
  std::size_t begin = before < kMaxQuoted ? 0 : before - kMaxQuoted / 2;
  while (begin < before && !starts_character(quoted[begin])) ++begin;
  const std::string_view shown = cut(quoted.substr(begin), kMaxQuoted);
  const std::string_view marked = shown.substr(std::min(before - begin, shown.size())).substr(0, place.length);
  message.length = std::max(1U, characters(marked));
  if (hidden_.contains({place.source, place.line})) return;
  const std::string_view left_out = begin == 0 ? "" : "...";
  message.source_line = cat(left_out, shown);
  message.caret = characters(left_out) + characters(shown.substr(0, before - begin));
}

std::vector<Diagnostic> Report::take() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    const Place &x = a.error.place, &y = b.error.place;
    return std::tie(x.source, x.line, x.column) < std::tie(y.source, y.line, y.column);
  });
  std::vector<Diagnostic> out;
  for (Entry& entry : entries_) {
    Diagnostic& diagnostic = out.emplace_back();
    locate(entry.error, diagnostic);
    diagnostic.severity = entry.severity;
    diagnostic.code = entry.code;
    diagnostic.fix = std::move(entry.fix);
    add_origin(entry.error.place, entry.notes);
    for (Note& note : entry.notes) locate(note, diagnostic.notes.emplace_back());
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

std::filesystem::path file_identity(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path canonical =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path.lexically_normal() : canonical;
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kMaxNameShown) return {};
  const std::string wanted = lower_case(name);
  std::size_t best = std::min({std::size_t{4}, (name.size() + 2) / 3 + 1, std::max(name.size(), std::size_t{1})});
  std::string found, longer;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kMaxNameShown) continue;
    const std::string other = lower_case(candidate);
    if (const std::size_t n = edits(wanted, other, best); n < best) {
      best = n;
      found = candidate;
    }
    if (longer.empty() && begin_alike(wanted, other)) longer = candidate;
  }
  return found.empty() ? longer : found;
}

std::vector<Note> other_uses(const std::vector<Place>& places) {
  constexpr std::size_t kMostNotes = 8;
  std::vector<Note> notes;
  for (std::size_t i = 1; i < std::min(places.size(), kMostNotes + 1); ++i)
    notes.push_back({places[i], "it is named here, too"});
  return notes;
}

std::string suggest(std::string_view name, const std::vector<std::string>& candidates, std::string_view what) {
  const std::string near = nearest(name, candidates);
  if (!near.empty()) return cat("did you mean ", quote(near), "? ", what, ": ", quote_list(candidates));
  if (candidates.empty()) return cat("remove ", quote(name), ": there are no ", what);
  return cat("name one of the ", what, ": ", quote_list(candidates));
}

std::string_view to_string(Severity severity) noexcept { return severity == Severity::kError ? "error" : "warning"; }

std::string format(const Diagnostic& diagnostic, bool color) {
  const std::string_view style = diagnostic.severity == Severity::kError ? "1;31" : "1;35";
  std::string out = format(diagnostic, cat(to_string(diagnostic.severity), "[", diagnostic.code, "]:"), style, color);
  if (!diagnostic.fix.empty()) out += "  fix: " + diagnostic.fix + "\n";
  for (const SourceMessage& note : diagnostic.notes) out += format(note, "note:", "1;36", color);
  return out;
}

}  // namespace woa
