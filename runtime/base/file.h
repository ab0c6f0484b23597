// Reads and writes whole files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"

namespace woa {

// A file that is written beside its place and moved there by commit(): nobody reads half of it, and an earlier file
// stays unchanged until then. If the file system has files without a name, even a killed process leaves nothing. Links
// keep leading to the file. Writes directly to a pipe, a device, a file that somebody holds open (/dev/stdout), and an
// earlier file in a folder that takes no new one. A named pipe has a second to get its reader. Errors of all members:
// kNotFound (there is no such folder) and kUnavailable, with the path and the reason.
class PendingFile {
 public:
  static Result<PendingFile> open(const std::filesystem::path& path);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();  // without commit(): leaves the place as it was
  // After an error the file can only be given up. Not thread-safe.
  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  // Moves the file into place, with the permissions of the file that was there. Once.
  Status commit();
  // Moves it to its place with `suffix` added, for what is not complete. Returns that name; of a pipe or device, which
  // has had everything, its own. Once.
  Result<std::filesystem::path> commit_beside(std::string_view suffix);

 private:
  PendingFile(std::filesystem::path path, std::filesystem::path target)
      : path_(std::move(path)), target_(std::move(target)) {}
  Status open_beside();
  Status open_directly();
  Status name_it();
  Status failed(int error) const;

  std::filesystem::path path_, target_;  // as given; behind links
  std::filesystem::path aside_;          // the name until commit(), empty: none
  UniqueFd fd_;
  bool direct_ = false;
};

// Makes /dev/stdout mean `descriptor`, for a process that gave its own stdout another use. Returns the descriptor that
// it meant before.
int set_stdout_of_user(int descriptor);

// The folder for files of this user's that may be made again: woa in $XDG_CACHE_HOME, which is ~/.cache by default.
// Null or empty: the variable is not set. Empty if neither is. Source: XDG Base Directory Specification.
std::filesystem::path cache_folder(const char* xdg_cache_home, const char* home);

// Writes `text` with a PendingFile.
Status write_file(const std::filesystem::path& path, std::string_view text);

// Checks before long work if write_file() could write to `path`, without changing anything. A later write may fail all
// the same. Errors: those of PendingFile.
Status check_writable(const std::filesystem::path& path);

// The file that `path` leads to through links, whether or not it exists.
std::filesystem::path behind_links(std::filesystem::path path);

// Files that are read as a whole.

// The contents of a plain file, or its first `most_bytes` if it is larger. Never waits, as reading a pipe or a terminal
// would, and always ends, unlike reading a device. The message is a reason that follows the name of the file:
// kNotFound, "there is no such file"; kUnavailable, "it is a folder", "it is a pipe, a socket or a device, not a file",
// or the system's words.
Result<std::string> read_regular_file(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace woa
