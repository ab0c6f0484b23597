#include "runtime/base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "runtime/base/unique_fd.h"

namespace woa {
namespace {

constexpr std::size_t kMore = 64 << 10;

Status system_reason(int error) {
  if (error == ENOENT) return {Code::kNotFound, "there is no such file"};
  return {Code::kUnavailable, std::generic_category().message(error)};
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
    bytes.resize(std::min<std::uint64_t>(done + next, most_bytes));  // what the system makes says that it has no bytes
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
