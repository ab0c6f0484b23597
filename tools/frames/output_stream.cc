#include "tools/frames/output_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include "runtime/base/file.h"

namespace woa::tools {
namespace {

constexpr std::size_t kCollect = 64 << 10;  // what a pipe holds
constexpr int kAskMs = 20;

}  // namespace

bool OutputStream::writes(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::is_fifo(std::filesystem::symlink_status(behind_links(path), error));
}

Status OutputStream::check(const std::string& path) {
  if (path != "-" || (::fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) != O_RDONLY) return {};
  return {Code::kInvalid, "stdout is closed, or open for reading alone: give it a pipe or a file"};
}

OutputStream::OutputStream(std::string path, std::function<bool()> given_up)
    : path_(std::move(path)), given_up_(std::move(given_up)) {
  std::signal(SIGPIPE, SIG_IGN);
  // Kernels that print must not get between frames: stdout is theirs no longer when the run begins (ForeignOutput).
  if (path_ == "-") fd_ = UniqueFd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  collected_.reserve(kCollect);
}

Status OutputStream::failed(int error) const {
  const std::string what = path_ == "-" ? "stdout" : "'" + path_ + "'";
  if (error == EPIPE) return {Code::kUnavailable, "cannot write to " + what + ": its reader has gone"};
  return {Code::kUnavailable, "cannot write to " + what + ": " + reason_of(error)};
}

Result<bool> OutputStream::open() {
  if (fd_.get() >= 0) return true;
  if (path_ == "-") return failed(EBADF);
  fd_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd_.get() < 0 && errno == ENXIO) return false;
  if (fd_.get() < 0) return failed(errno);
  blocks_ = false;
  return true;
}

Status OutputStream::write(std::span<const std::byte> bytes) {
  if (collected_.size() + bytes.size() > kCollect) WOA_RETURN_IF_ERROR(flush());
  if (bytes.size() > kCollect) return send(bytes);
  collected_.insert(collected_.end(), bytes.begin(), bytes.end());
  return {};
}

Status OutputStream::flush() {
  const Status status = collected_.empty() ? Status() : send(collected_);
  collected_.clear();
  return status;
}

Status OutputStream::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    pollfd ready{fd_.get(), POLLOUT, 0};
    if (::poll(&ready, 1, kAskMs) <= 0) {
      if (given_up_()) return {Code::kCancelled, "interrupted before its reader had taken all of the output"};
      continue;
    }
    // A pipe that is ready takes PIPE_BUF bytes, and blocks at more.
    const std::size_t most = blocks_ ? std::min<std::size_t>(bytes.size(), PIPE_BUF) : bytes.size();
    const ssize_t count = ::write(fd_.get(), bytes.data(), most);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return failed(count < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace woa::tools
