// An input of the graph that comes by a pipe: frames, one for each instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/plan/plan.h"
#include "tools/frames/frame_rule.h"
#include "tools/frames/frame_scanner.h"

namespace woa::tools {

// kTooLarge: a token of `bytes` where `most` fit.
Status too_large(std::uint64_t bytes, std::uint64_t most);

// Reads no further than the frame that is needed next, so that a writer who is too fast waits. One thread. Memory:
// about twice the longest token.
class InputStream {
 public:
  enum class State : std::uint8_t { kFrame, kLater, kEnd };

  // True for "-", and for a pipe, a terminal or another device.
  static bool reads(const std::string& path);
  // `path`: one that it reads. `type`: of the tokens, which outlives it. A named pipe may lack its writer still.
  // kUnavailable with the system's reason. kInvalid: stdin cannot be read.
  static Result<InputStream> open(const std::string& path, const FrameRule& rule, const PortType& type);

  // Reads what is there, until a frame is whole. Never blocks. kFrame: a frame, whole or wrong, waits for read().
  State look();
  // The number of the frame that look() tells of, from 0 on.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  // Copies the frame as a payload of the type, and goes on to the next. kTooLarge: it has more bytes than a token.
  // kInvalid: it is cut, or no token. kUnavailable: the stream cannot be read.
  Result<std::uint64_t> read(std::span<std::byte> room);
  // Goes on to the next frame.
  void skip();
  [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }

 private:
  InputStream(UniqueFd fd, const FrameRule& rule, const PortType& type);
  void scan();
  void check_length();
  void end();
  bool receive();
  void make_room();
  [[nodiscard]] std::uint64_t taken() const { return dropped_ + scanned_ - begin_; }
  Result<std::uint64_t> copy(std::span<const std::byte> frame, std::span<std::byte> room) const;

  UniqueFd fd_;
  FrameRule rule_;
  const PortType* type_;
  std::unique_ptr<FrameScanner> scanner_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0, scanned_ = 0, end_ = 0;  // of the frame; what the scanner has taken; what was received
  std::uint64_t dropped_ = 0;                      // bytes of a frame that is too long
  std::uint64_t number_ = 0;
  bool whole_ = false, at_end_ = false;
  Status wrong_;  // the frame
};

}  // namespace woa::tools
