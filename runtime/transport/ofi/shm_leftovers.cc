#include "runtime/transport/ofi/shm_leftovers.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "runtime/base/unique_fd.h"

namespace woa::ofi {
namespace {

// The process of such a file; 0: it is another's.
pid_t process_of(std::string_view name) {
  pid_t pid = 0;
  int numbers[2] = {};
  const char *at = name.data(), *const end = at + name.size();
  auto read = std::from_chars(at, end, pid);
  for (int& number : numbers) {
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ':') return 0;
    read = std::from_chars(read.ptr + 1, end, number);
  }
  return read.ec == std::errc() && read.ptr == end && pid > 0 ? pid : 0;
}

// A process of another namespace of numbers may have it, so the system is asked: it grants this lease to an only user.
bool is_unused(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file.get() >= 0 && ::fcntl(file.get(), F_SETLEASE, F_WRLCK) == 0;
}

}  // namespace

std::size_t remove_shm_leftovers(const std::string& folder) {
  std::size_t removed = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const pid_t pid = process_of(entry.path().filename().string());
    const bool gone = pid != 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
    if (gone && is_unused(entry.path().string()) && ::unlink(entry.path().c_str()) == 0) ++removed;
  }
  return removed;
}

}  // namespace woa::ofi
