#include "tools/woa/input_folder.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/base/text.h"

namespace woa::tools {
namespace {

bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

// Takes the leading digits off `text`, and returns them without leading zeros.
std::string_view take_number(std::string_view& text) noexcept {
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_decimal) - text.begin());
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

// Compares numbers of any length.
std::strong_ordering compare_numbers(std::string_view a, std::string_view b) noexcept {
  return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;
}

std::strong_ordering compare_naturally(std::string_view a, std::string_view b) noexcept {
  while (!a.empty() && !b.empty()) {
    if (is_decimal(a[0]) && is_decimal(b[0])) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (const auto order = compare_numbers(left, right); order != 0) return order;
      continue;
    }
    const auto left = static_cast<unsigned char>(a[0]), right = static_cast<unsigned char>(b[0]);
    if (left != right) return left <=> right;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() <=> b.size();
}

// True if `a` comes before `b`. Digits compare as numbers, so frame2 comes before frame10. Names that differ in leading
// zeros only compare byte by byte. A total order.
bool natural_less(std::string_view a, std::string_view b) noexcept {
  const auto order = compare_naturally(a, b);
  return order != 0 ? order < 0 : a < b;
}

namespace fs = std::filesystem;

// Compares names without extensions first, so that a.jpg and a-1.jpg are in the order of a.png and a-1.
bool comes_before(const fs::path& a, const fs::path& b) {
  const std::string left = a.stem().string(), right = b.stem().string();
  return left != right ? natural_less(left, right) : natural_less(a.filename().string(), b.filename().string());
}

// "F, a folder": why an entry is no file to read; nothing if it is one.
Result<std::optional<std::string>> reason_to_leave_out(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (name.starts_with('.')) return std::optional(name);
  std::error_code error;
  const fs::file_status status = entry.status(error);
  if (status.type() == fs::file_type::not_found)
    return {Code::kNotFound, "'" + entry.path().string() + "' is a link to '" +
                                 fs::read_symlink(entry.path(), error).string() +
                                 "', which is not there: remove the link, or bring back the file"};
  if (!fs::status_known(status))
    return {Code::kUnavailable, "cannot read '" + entry.path().string() + "': " + error.message()};
  if (fs::is_directory(status)) return std::optional(name + ", a folder");
  if (!fs::is_regular_file(status)) return std::optional(name + ", a pipe, a socket or a device");
  return std::optional<std::string>();
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kShown = 3;
  std::sort(names.begin(), names.end());
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k) text += (k == 0 ? "" : "; ") + names[k];
  return names.size() > kShown ? text + "; and " + std::to_string(names.size() - kShown) + " more" : text;
}

// A file of `a` whose name without extension is not in `b`, or null.
const fs::path* only_in(const FolderFiles& a, const FolderFiles& b) {
  std::set<fs::path> stems;
  for (const fs::path& file : b.files) stems.insert(file.stem());
  const auto missing =
      std::ranges::find_if(a.files, [&](const fs::path& file) { return !stems.contains(file.stem()); });
  return missing == a.files.end() ? nullptr : &*missing;
}

// "'f1' is only in 'a'".
std::string difference(const FolderFiles& a, const FolderFiles& b) {
  std::string text;
  for (const auto& [one, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (const fs::path* const file = only_in(*one, *other))
      text += (text.empty() ? "" : ", ") + ("'" + file->filename().string() + "' is only in '") + one->folder.string() +
              "'";
  return text;
}

}  // namespace

Result<FolderFiles> list_files(const std::string& option, const fs::path& folder) {
  std::error_code error;
  FolderFiles found{option, folder, {}, {}};
  std::vector<std::string> left_out;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    WOA_ASSIGN_OR_RETURN(auto reason, reason_to_leave_out(*entry));
    if (reason)
      left_out.push_back(std::move(*reason));
    else
      found.files.push_back(entry->path());
  }
  if (error) return {Code::kUnavailable, "cannot read folder '" + folder.string() + "': " + reason_of(error.value())};
  if (!left_out.empty())
    found.left_out = option + ": folder '" + folder.string() + "' also holds what is left out: " + listed(left_out);
  if (found.files.empty())
    return {Code::kNotFound, "folder '" + folder.string() + "' holds no files" +
                                 (left_out.empty() ? "" : " but what is left out: " + listed(left_out))};
  std::sort(found.files.begin(), found.files.end(), comes_before);
  return found;
}

Result<std::string> pair_files(const FolderFiles& a, const FolderFiles& b) {
  if (a.files.size() != b.files.size())
    return {Code::kInvalid, b.option + ": its folder holds " + counted(b.files.size(), "file") + ", that of " +
                                a.option + " holds " + std::to_string(a.files.size()) + " (" + difference(a, b) +
                                "); a single file, " + b.option + "=FILE, serves every instance"};
  const auto same = [](const fs::path& one, const fs::path& other) { return one.stem() == other.stem(); };
  if (std::equal(a.files.begin(), a.files.end(), b.files.begin(), same)) return std::string();
  const std::string names = difference(a, b);
  return a.option + " and " + b.option + ": names in their folders differ" + (names.empty() ? "" : " (" + names + ")") +
         ", so their files go together by order: " + a.files.front().filename().string() + " with " +
         b.files.front().filename().string();
}

}  // namespace woa::tools
