// A library's part in a pipeline or a fan-out; the rest is written once (shapes.h).
#pragma once

#include <cstddef>
#include <span>

#include "runtime/base/status.h"

namespace woa::bench {

// Connects one side with its targets and its sources (Routing in shapes.h). One thread. Failures are reported in the
// library's words; kPeerLost: nothing comes any more.
class Messenger {
 public:
  virtual ~Messenger() = default;
  // Begins to send to every target of this side. The message, which may be the last that receive() returned, must not
  // change until settle(), or until it has certainly arrived.
  virtual Status send(std::span<const std::byte> message) = 0;
  // Waits for the next message, in the order of sending. The caller may change it, until the next call.
  virtual Result<std::span<std::byte>> receive() = 0;
  // Waits until all messages have left.
  virtual Status settle() = 0;
};

}  // namespace woa::bench
