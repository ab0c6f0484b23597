// Finds where the frames of a stream end, whatever pieces its bytes come in.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "tools/frames/frame_rule.h"

namespace woa::tools {

class FrameScanner {
 public:
  static std::unique_ptr<FrameScanner> make(const FrameRule& rule);  // not kRaw
  virtual ~FrameScanner() = default;

  // Takes bytes that follow those taken before, up to the end of the frame. Returns how many. kInvalid: no frame looks
  // like this, so that nobody knows where the next one begins.
  virtual Result<std::size_t> take(std::span<const std::byte> bytes) = 0;
  // True if the bytes taken are a whole frame. `at_end`: no more will come.
  [[nodiscard]] virtual bool complete(bool at_end) const = 0;
  // A complete frame's bytes in front of its payload, and behind it.
  [[nodiscard]] virtual std::size_t before() const { return 0; }
  [[nodiscard]] virtual std::size_t after() const { return 0; }
  // The next byte begins a frame.
  virtual void begin() = 0;
};

}  // namespace woa::tools
