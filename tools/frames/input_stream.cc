#include "tools/frames/input_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime/base/text.h"
#include "runtime/controller/port_shape.h"
#include "tools/frames/npy_array.h"

namespace woa::tools {
namespace {

constexpr std::size_t kReceive = 64 << 10;  // what a pipe holds

}  // namespace

Status too_large(std::uint64_t bytes, std::uint64_t most) {
  return {Code::kTooLarge, counted(bytes, "byte") + ", expected at most " + std::to_string(most)};
}

bool InputStream::reads(const std::string& path) {
  if (path == "-") return true;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

Result<InputStream> InputStream::open(const std::string& path, const FrameRule& rule, const PortType& type) {
  // Without O_NONBLOCK a named pipe would wait for its writer here, who perhaps waits for something else first.
  UniqueFd fd(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return {Code::kUnavailable, std::string("cannot read it: ") + reason_of(errno)};
  if ((::fcntl(fd.get(), F_GETFL) & O_ACCMODE) == O_WRONLY)
    return {Code::kInvalid, "stdin is closed, or open for writing alone: give it a pipe or a file"};
  return InputStream(std::move(fd), rule, type);
}

InputStream::InputStream(UniqueFd fd, const FrameRule& rule, const PortType& type)
    : fd_(std::move(fd)), rule_(rule), type_(&type), scanner_(FrameScanner::make(rule)), buffer_(kReceive) {}

InputStream::State InputStream::look() {
  while (!whole_) {
    if (scanned_ < end_) {
      scan();
    } else if (at_end_) {
      if (taken() == 0) return State::kEnd;
      end();
    } else if (!receive()) {
      return State::kLater;
    }
  }
  return State::kFrame;
}

void InputStream::scan() {
  const auto count = scanner_->take(std::span(buffer_).subspan(scanned_, end_ - scanned_));
  if (!count.ok()) {
    wrong_ = {count.status().code(), count.status().message() + "; nothing behind it was read"};
    whole_ = at_end_ = true;
    end_ = scanned_;
    return;
  }
  scanned_ += *count;
  whole_ = scanner_->complete(false);
  if (whole_) {
    check_length();
  } else if (taken() > type_->max_bytes + kMostNpyHeader) {  // its end is looked for, and its bytes are of no use
    dropped_ += scanned_ - begin_;
    begin_ = scanned_;
  }
}

// The frame at hand is complete.
void InputStream::check_length() {
  const std::uint64_t bytes = taken() - scanner_->before() - scanner_->after();
  if (bytes > type_->max_bytes) wrong_ = too_large(bytes, type_->max_bytes);
}

// The stream has ended behind some bytes of a frame.
void InputStream::end() {
  whole_ = true;
  if (!wrong_.ok()) return;
  if (scanner_->complete(true)) return check_length();
  wrong_ = {Code::kInvalid, "the stream ended inside it, after " + counted(taken(), "byte")};
}

// False: nothing is there now.
bool InputStream::receive() {
  pollfd ready{fd_.get(), POLLIN, 0};
  if (::poll(&ready, 1, 0) <= 0) return false;
  make_room();
  const ssize_t count = ::read(fd_.get(), buffer_.data() + end_, buffer_.size() - end_);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (count < 0) {
    wrong_ = {Code::kUnavailable, std::string("cannot read it: ") + reason_of(errno)};
    whole_ = true;
  }
  if (count <= 0) at_end_ = true;
  end_ += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  return true;
}

void InputStream::make_room() {
  if (begin_ == end_) {
    begin_ = scanned_ = end_ = 0;
  } else if (end_ == buffer_.size() && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= std::exchange(begin_, 0);
  } else if (end_ == buffer_.size()) {
    buffer_.resize(2 * buffer_.size());
  }
}

Result<std::uint64_t> InputStream::read(std::span<std::byte> room) {
  const std::size_t bytes = scanned_ - begin_ - scanner_->before() - scanner_->after();
  auto result = wrong_.ok() ? copy(std::span(buffer_).subspan(begin_ + scanner_->before(), bytes), room)
                            : Result<std::uint64_t>(wrong_);
  skip();
  return result;
}

void InputStream::skip() {
  begin_ = scanned_;
  dropped_ = 0;
  whole_ = false;
  wrong_ = {};
  ++number_;
  scanner_->begin();
}

Result<std::uint64_t> InputStream::copy(std::span<const std::byte> frame, std::span<std::byte> room) const {
  std::uint64_t prefix = 0;
  if (rule_.kind == FrameRule::Kind::kNpy) {
    WOA_ASSIGN_OR_RETURN(const auto array, parse_npy(std::span(buffer_).subspan(begin_, scanner_->before())));
    if (!array.refused.ok()) return array.refused;
    const auto written = write_prefix(*type_, array.element, array.dims, room);
    if (!written.ok()) return written;
    prefix = *written;
  }
  if (frame.size() > room.size() - prefix) return too_large(frame.size(), room.size() - prefix);
  std::ranges::copy(frame, room.begin() + static_cast<std::ptrdiff_t>(prefix));
  const std::uint64_t bytes = prefix + frame.size();
  if (const Status status = PortShape(*type_).check(room.first(bytes)); !status.ok()) return status;
  return bytes;
}

}  // namespace woa::tools
