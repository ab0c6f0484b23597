#include "runtime/base/written_file.h"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace woa {
namespace {

namespace fs = std::filesystem;

Status cannot_write(const fs::path& path, int error) {
  const Code code = error == ENOENT ? Code::kNotFound : Code::kUnavailable;
  return {code, "cannot write '" + path.string() + "': " + std::generic_category().message(error)};
}

// 0, or the system's reason.
int try_to_write(const fs::path& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (file) return 0;
  return errno != 0 ? errno : EIO;
}

// Through a link, and into what is no file, one writes; in the place of either nothing is put. Nor in a folder that
// takes no new file, where an earlier one may be writable all the same.
bool can_be_replaced(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return true;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return fs::is_regular_file(status) && ::access(folder.c_str(), W_OK) == 0;
}

// In the same folder, and no longer than any name there may be.
fs::path name_aside(const fs::path& path) {
  constexpr std::size_t kLongest = 255;
  const std::string suffix = "." + std::to_string(::getpid());
  return path.parent_path() / (path.filename().string().substr(0, kLongest - suffix.size()) + suffix);
}

void remove_if_there(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
}

// What is there, and whether it may be written to.
Status check_present(const fs::path& path) {
  std::error_code error;
  if (path.empty()) return cannot_write(path, ENOENT);
  if (fs::is_directory(path, error)) return cannot_write(path, EISDIR);
  if (fs::exists(path, error) && ::access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);
  return {};
}

}  // namespace

Status check_writable(const fs::path& path) {
  WOA_RETURN_IF_ERROR(check_present(path));
  if (!can_be_replaced(path)) return {};
  const fs::path aside = name_aside(path);
  const int reason = try_to_write(aside, {});
  remove_if_there(aside);
  return reason == 0 ? Status() : cannot_write(path, reason);
}

Status write_file(const fs::path& path, std::string_view text) {
  WOA_RETURN_IF_ERROR(check_present(path));
  const bool replaced = can_be_replaced(path);
  const fs::path aside = replaced ? name_aside(path) : path;
  if (const int reason = try_to_write(aside, text); reason != 0) {
    if (replaced) remove_if_there(aside);
    return cannot_write(path, reason);
  }
  if (!replaced) return {};
  std::error_code error;
  if (const fs::file_status earlier = fs::status(path, error); fs::exists(earlier))
    fs::permissions(aside, earlier.permissions(), error);
  fs::rename(aside, path, error);
  if (!error) return {};
  remove_if_there(aside);
  return cannot_write(path, error.value());
}

}  // namespace woa
