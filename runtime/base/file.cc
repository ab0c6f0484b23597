#include "runtime/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/base/unique_fd.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;                          // before the umask
constexpr int kMostLinks = 40;                          // the system's limit
constexpr std::chrono::milliseconds kReaderWait{1000};  // a reader that is started together with this process

Status cannot_write(const fs::path& path, int error) {
  const Code code = error == ENOENT ? Code::kNotFound : Code::kUnavailable;
  return {code, "cannot write '" + path.string() + "': " + reason_of(error)};
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

fs::path next_link(const fs::path& path) {
  std::error_code error;
  return path.parent_path() / fs::read_symlink(path, error);
}

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

// True if a link on the way is one of the system's own to an open file, such as /dev/stdout: the process that holds
// that file open would not see another one in its place.
bool is_held_open(fs::path path) {
  for (int k = 0; k < kMostLinks && is_link(path); ++k, path = next_link(path)) {
    std::error_code error;
    if (fs::weakly_canonical(folder_of(path), error).string().starts_with("/proc/")) return true;
  }
  return false;
}

std::atomic<int> stdout_of_user{STDOUT_FILENO};

// Resolves names of this process's stdout to the descriptor of set_stdout_of_user(); leaves others unchanged.
fs::path as_started(const fs::path& given) {
  std::error_code error;
  fs::path path = given;
  for (int k = 0; k < kMostLinks && is_link(path); ++k, path = next_link(path)) {
    const bool mine = fs::weakly_canonical(folder_of(path), error) == fs::weakly_canonical("/proc/self/fd", error);
    if (mine && path.filename() == std::to_string(STDOUT_FILENO))
      return "/proc/self/fd/" + std::to_string(stdout_of_user.load());
  }
  return given;
}

// False for a pipe or a device, a file that somebody holds open, and a file in a folder that takes no new one.
bool can_be_replaced(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return true;
  return fs::is_regular_file(status) && !is_held_open(path) &&
         ::access(folder_of(behind_links(path)).c_str(), W_OK) == 0;
}

// A name in the same folder, of at most 255 bytes. `attempt`: earlier names may be taken.
fs::path name_aside(const fs::path& target, unsigned attempt) {
  constexpr std::size_t kLongest = 255;
  const std::string suffix =
      "." + std::to_string(::getpid()) + (attempt == 0 ? std::string() : "-" + std::to_string(attempt));
  return target.parent_path() / (target.filename().string().substr(0, kLongest - suffix.size()) + suffix);
}

// Tries names until one is free. `make` returns true if it could use a name, or sets errno.
template <typename Make>
fs::path make_aside(const fs::path& target, const Make& make) {
  constexpr unsigned kMostAttempts = 1000;
  for (unsigned attempt = 0; attempt < kMostAttempts; ++attempt) {
    fs::path aside = name_aside(target, attempt);
    if (make(aside)) return aside;
    if (errno != EEXIST) break;
  }
  return {};
}

// Ok if the path can be written: there is a folder for it, and a file that is there may be written to.
Status check_present(const fs::path& path) {
  std::error_code error;
  if (path.empty()) return cannot_write(path, ENOENT);
  if (const fs::path folder = folder_of(path); !fs::exists(folder, error) && !error)
    return {Code::kNotFound,
            path.string() + ": folder '" + folder.string() + "' does not exist: mkdir -p " + folder.string()};
  if (fs::is_directory(path, error)) return cannot_write(path, EISDIR);
  if (fs::exists(path, error) && ::access(path.c_str(), W_OK) != 0) return cannot_write(path, errno);
  return {};
}

}  // namespace

fs::path behind_links(fs::path path) {
  for (int k = 0; k < kMostLinks && is_link(path); ++k) path = next_link(path);
  return path;
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      aside_(std::exchange(other.aside_, {})),
      fd_(std::move(other.fd_)),
      direct_(other.direct_) {}

PendingFile::~PendingFile() {
  if (!aside_.empty()) ::unlink(aside_.c_str());
}

Status PendingFile::failed(int error) const { return cannot_write(path_, error != 0 ? error : EIO); }

int set_stdout_of_user(int descriptor) { return stdout_of_user.exchange(descriptor); }

// Without O_NONBLOCK a named pipe would wait for its reader without end.
Status PendingFile::open_directly() {
  constexpr auto kPause = std::chrono::milliseconds(10);
  std::error_code unknown;
  for (auto left = kReaderWait;; left -= kPause) {
    fd_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, kMode));
    if (fd_.get() >= 0) break;
    const int error = errno;
    if (error != ENXIO || !fs::is_fifo(path_, unknown)) return failed(error);
    if (left <= kPause)
      return {Code::kUnavailable, "nobody reads the pipe '" + path_.string() + "'; start its reader first"};
    std::this_thread::sleep_for(kPause);
  }
  return ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) & ~O_NONBLOCK) == 0 ? Status() : failed(errno);
}

Result<PendingFile> PendingFile::open(const fs::path& given) {
  const fs::path path = as_started(given);
  if (Status status = check_present(path); !status.ok()) return status;
  PendingFile file(path, behind_links(path));
  file.direct_ = !can_be_replaced(path);
  if (Status status = file.direct_ ? file.open_directly() : file.open_beside(); !status.ok()) return status;
  return file;
}

Status PendingFile::open_beside() {
  fd_ = UniqueFd(::open(folder_of(target_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode));
  if (fd_.get() >= 0) return {};
  if (errno != EOPNOTSUPP && errno != EISDIR) return failed(errno);  // file systems without unnamed files
  aside_ = make_aside(target_, [this](const fs::path& name) {
    fd_ = UniqueFd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
    return fd_.get() >= 0;
  });
  return aside_.empty() ? failed(errno) : Status();
}

Status PendingFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return failed(count < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

// A file without a name cannot replace another: gives it a name beside its place first.
Status PendingFile::name_it() {
  if (!aside_.empty()) return {};
  const std::string here = "/proc/self/fd/" + std::to_string(fd_.get());
  aside_ = make_aside(target_, [&here](const fs::path& name) {
    return ::linkat(AT_FDCWD, here.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  return aside_.empty() ? failed(errno) : Status();
}

Status PendingFile::commit() {
  struct stat earlier {};
  if (!direct_ && ::stat(target_.c_str(), &earlier) == 0 && ::fchmod(fd_.get(), earlier.st_mode & 07777) != 0)
    return failed(errno);
  if (!direct_) WOA_RETURN_IF_ERROR(name_it());
  if (::close(fd_.release()) != 0) return failed(errno);  // some file systems notice a full disk only here
  if (direct_) return {};
  if (::rename(aside_.c_str(), target_.c_str()) != 0) return failed(errno);
  aside_.clear();
  return {};
}

Result<fs::path> PendingFile::commit_beside(std::string_view suffix) {
  if (!direct_) {
    path_ += suffix;
    target_ += suffix;
  }
  WOA_RETURN_IF_ERROR(commit());
  return path_;
}

Status check_writable(const fs::path& path) {
  WOA_RETURN_IF_ERROR(check_present(path));
  if (!can_be_replaced(path)) return {};
  const auto file = PendingFile::open(path);
  return file.ok() ? Status() : file.status();
}

fs::path cache_folder(const char* xdg_cache_home, const char* home) {
  const auto is_set = [](const char* value) { return value != nullptr && *value != '\0'; };
  if (is_set(xdg_cache_home)) return fs::path(xdg_cache_home) / "woa";
  return is_set(home) ? fs::path(home) / ".cache" / "woa" : fs::path();
}

Status write_file(const fs::path& path, std::string_view text) {
  auto file = PendingFile::open(path);
  if (!file.ok()) return file.status();
  WOA_RETURN_IF_ERROR(file->write(text));
  return file->commit();
}

namespace {

constexpr std::size_t kMore = 64 << 10;

Status system_reason(int error) {
  if (error == ENOENT) return {Code::kNotFound, "there is no such file"};
  return {Code::kUnavailable, reason_of(error)};
}

}  // namespace

Result<std::string> read_regular_file(const std::filesystem::path& path, std::uint64_t most_bytes) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // a pipe's writer may never come
  if (file.get() < 0) return system_reason(errno);
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) return system_reason(errno);
  if (S_ISDIR(found.st_mode)) return Status(Code::kUnavailable, "it is a folder");
  if (!S_ISREG(found.st_mode)) return Status(Code::kUnavailable, "it is a pipe, a socket or a device, not a file");
  std::string bytes;
  std::size_t done = 0;
  for (std::size_t next = static_cast<std::size_t>(found.st_size) + 1; done < most_bytes; next = kMore) {
    bytes.resize(std::min<std::uint64_t>(done + next, most_bytes));  // files that the system generates claim 0 bytes
    const ssize_t count = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_reason(errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace woa
