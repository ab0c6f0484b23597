// Files that are read or written as a whole.
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

// A file that grows beside its place and is put there by commit(): nobody reads half of it, and an earlier file stays
// as it is until then. Where the file system has files without a name, nothing is left even of a process that was
// killed. Links keep leading to the file. A pipe, a device and a file that somebody holds open (/dev/stdout) are
// written to directly, and so is an earlier file in a folder that takes no new one. Errors of all members: kNotFound
// (there is no such folder) and kUnavailable, with the path and the system's reason.
class PendingFile {
 public:
  static Result<PendingFile> open(const std::filesystem::path& path);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();  // without commit(): leaves the place as it was
  // After an error the file can only be given up. Several callers take turns.
  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  // Puts it in its place, with the rights of the file that was there. Once.
  Status commit();

 private:
  PendingFile(std::filesystem::path path, std::filesystem::path target)
      : path_(std::move(path)), target_(std::move(target)) {}
  Status open_beside();
  Status name_it();
  Status failed(int error) const;

  std::filesystem::path path_, target_;  // as it was given; where links lead
  std::filesystem::path aside_;          // the name until commit(), empty: none
  UniqueFd fd_;
  bool direct_ = false;
};

// What this process was started with as stdout is `descriptor` now: names such as /dev/stdout are written there, as
// their user means. Returns the descriptor until now.
int set_stdout_of_user(int descriptor);

// Writes `text` by a PendingFile.
Status write_file(const std::filesystem::path& path, std::string_view text);

// Checks before long work that write_file() could write to `path`, as far as that can be known. Leaves everything as it
// was. Errors: as of PendingFile.
Status check_writable(const std::filesystem::path& path);

// Where a file is, or will be when it is written: behind links, also those that lead to nothing yet.
std::filesystem::path behind_links(std::filesystem::path path);

// Files that are read as a whole.

// All of a plain file, or its first `most_bytes` if it is larger. Never waits, as reading a pipe or a terminal would,
// and never goes on for ever, as a device would. The message is a reason that follows what could not be read:
// kNotFound, "there is no such file"; kUnavailable, "it is a folder", "it is a pipe, a socket or a device, not a file",
// or the system's words.
Result<std::string> read_regular_file(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace woa
