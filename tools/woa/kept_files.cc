#include "tools/woa/kept_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/base/file.h"

namespace woa::tools {
namespace {

namespace fs = std::filesystem;

using Identity = std::pair<dev_t, ino_t>;

// Nothing if there is no file, or no plain one: that is never overwritten.
std::optional<Identity> identity(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

bool is_special(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

// The canonical path of a file that exists or will be written.
std::string resolved(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(behind_links(path), error);
  const fs::path plain = fs::weakly_canonical(absolute, error);
  return (error ? absolute.lexically_normal() : plain).string();
}

// One character of the names that a pattern makes, or one or more digits.
struct Element {
  char character = 0;  // 0: a digit
  bool repeats = false;

  [[nodiscard]] bool has(char c) const { return character != 0 ? c == character : c >= '0' && c <= '9'; }
  // True if some character is in both.
  [[nodiscard]] bool meets(const Element& other) const {
    return character != 0 ? other.has(character) : other.character == 0 || has(other.character);
  }
};
using Elements = std::vector<Element>;

void add_text(Elements& elements, std::string_view text) {
  for (const char c : text) elements.push_back({c});
}

void add_piece(Elements& elements, const NamePattern::Piece& piece) {
  add_text(elements, piece.text);
  if (piece.kind != NamePattern::Piece::Kind::kNumber) return;
  elements.resize(elements.size() + piece.digits);
  elements.back().repeats = true;
}

// True if some text matches both: walks both side by side, along every path that both allow.
bool overlap(const Elements& a, const Elements& b) {
  std::vector<bool> seen((a.size() + 1) * (b.size() + 1));
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, 0}};
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    if (i == a.size() && j == b.size()) return true;
    if (i == a.size() || j == b.size() || !a[i].meets(b[j]) || seen[i * (b.size() + 1) + j]) continue;
    seen[i * (b.size() + 1) + j] = true;
    open.emplace_back(i + 1, j + 1);
    if (a[i].repeats) open.emplace_back(i, j + 1);
    if (b[j].repeats) open.emplace_back(i + 1, j);
    if (a[i].repeats && b[j].repeats) open.emplace_back(i, j);
  }
  return false;
}

bool is_among(std::string_view name, const Elements& elements) {
  Elements text;
  add_text(text, name);
  return overlap(text, elements);
}

// The names in a path: "a/%i/b" has three.
std::vector<Elements> names_of(const NamePattern& pattern) {
  std::vector<Elements> names(1);
  for (const NamePattern::Piece& piece : pattern.pieces()) {
    std::string_view text = piece.text;
    for (std::size_t slash = text.find('/'); slash != std::string_view::npos; slash = text.find('/')) {
      add_text(names.back(), text.substr(0, slash));
      names.emplace_back();
      text.remove_prefix(slash + 1);
    }
    add_piece(names.back(), {piece.kind, std::string(text), piece.digits});
  }
  return names;
}

bool is_plain(const Elements& name) {
  return std::ranges::none_of(name, [](const Element& element) { return element.character == 0; });
}

std::string text_of(const Elements& name) {
  std::string text;
  for (const Element& element : name) text += element.character;
  return text;
}

// The existing files that `pattern` may mean.
std::vector<fs::path> meant(const NamePattern& pattern) {
  if (!pattern.varies()) return {pattern.text()};
  std::vector<fs::path> paths{pattern.text().starts_with('/') ? "/" : ""};
  for (const Elements& name : names_of(pattern)) {
    std::vector<fs::path> next;
    for (const fs::path& path : paths) {
      if (is_plain(name)) {
        next.push_back(name.empty() ? path : path / text_of(name));
        continue;
      }
      std::error_code error;
      for (fs::directory_iterator entry(path.empty() ? "." : path, error), last; !error && entry != last;
           entry.increment(error))
        if (is_among(entry->path().filename().string(), name)) next.push_back(path / entry->path().filename());
    }
    paths = std::move(next);
  }
  return paths;
}

// The paths that a pattern makes, canonical up to its first number.
Elements paths_of(const NamePattern& pattern) {
  Elements paths;
  const std::string& first = pattern.pieces().front().text;
  const std::size_t begin = first.rfind('/') + 1;
  add_text(paths, (fs::path(resolved(begin == 0 ? "." : first.substr(0, begin))) / "").string() + first.substr(begin));
  if (pattern.pieces().front().kind == NamePattern::Piece::Kind::kNumber) add_piece(paths, pattern.pieces().front());
  for (std::size_t k = 1; k < pattern.pieces().size(); ++k) add_piece(paths, pattern.pieces()[k]);
  return paths;
}

// Finds two outputs that would be one file.
class Apart {
 public:
  // Another output that would be the same file as this one, or null.
  const WrittenFile* add(const WrittenFile& file) {
    if (!file.path.varies()) return add_plain(file);
    const Elements paths = paths_of(file.path);
    for (const auto& [other, known] : patterns_)
      if (overlap(paths, known)) return other;
    for (const auto& [path, other] : by_path_)
      if (is_among(path, paths)) return other;
    patterns_.emplace_back(&file, paths);
    return nullptr;
  }

 private:
  const WrittenFile* add_plain(const WrittenFile& file) {
    const fs::path path = file.path.text();
    if (is_special(path)) return nullptr;  // before links are followed: what /dev/stdout leads to may have no name
    const auto [there, added] = by_path_.emplace(resolved(path), &file);
    if (!added) return there->second;
    for (const auto& [other, known] : patterns_)
      if (is_among(there->first, known)) return other;
    const auto known = identity(path);
    if (!known) return nullptr;
    const auto [same, first] = by_identity_.emplace(*known, &file);
    return first ? nullptr : same->second;
  }

  std::map<std::string, const WrittenFile*> by_path_;
  std::map<Identity, const WrittenFile*> by_identity_;
  std::vector<std::pair<const WrittenFile*, Elements>> patterns_;
};

Status check_apart(const std::vector<WrittenFile>& written) {
  Apart apart;
  for (const WrittenFile& file : written) {
    if (file.path.text() == "-")
      return {Code::kInvalid,
              file.option + ": `-` stands for no stream here: name a file, and write ./- for one that is called so"};
    if (const WrittenFile* const other = apart.add(file))
      return {Code::kInvalid, other->option + " and " + file.option + " would be written to one file, '" +
                                  file.path.text() + "': name two"};
  }
  return {};
}

}  // namespace

std::optional<StreamFile> stream_file(const std::string& path, int standard) {
  struct stat status {};
  if ((path == "-" ? ::fstat(standard, &status) : ::stat(path.c_str(), &status)) != 0) return std::nullopt;
  return StreamFile{status.st_dev, status.st_ino, !S_ISFIFO(status.st_mode) && !S_ISREG(status.st_mode)};
}

std::vector<WrittenFile> given(std::vector<WrittenFile> written) {
  std::erase_if(written, [](const WrittenFile& file) { return file.path.text().empty(); });
  return written;
}

Status check_kept(const std::vector<WrittenFile>& written, const std::vector<ReadFile>& read) {
  if (Status apart = check_apart(written); !apart.ok() || written.empty()) return apart;
  std::map<Identity, const ReadFile*> kept;
  for (const ReadFile& file : read)
    if (const auto known = identity(file.path)) kept.emplace(*known, &file);
  for (const WrittenFile& file : written)
    for (const fs::path& path : meant(file.path)) {
      const auto known = identity(path);
      const auto found = known ? kept.find(*known) : kept.end();
      if (found == kept.end()) continue;
      const ReadFile& lost = *found->second;
      return {Code::kInvalid, file.option + ": '" + path.string() + "' would overwrite '" + lost.path.string() +
                                  "', which is read for " + lost.reason + ": name another file"};
    }
  return {};
}

}  // namespace woa::tools
