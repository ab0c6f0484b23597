// What a library has to do in a pipeline or a fan-out; the rest is written once (shapes.h).
#pragma once

#include <cstddef>
#include <span>

#include "runtime/base/status.h"

namespace woa::bench {

// One side's way to those that it sends to and from those that it receives from (Routing in shapes.h). One thread. What
// fails says so as the library does; kPeerLost: nothing comes any more.
class Messenger {
 public:
  virtual ~Messenger() = default;
  // Begins to send to every side that this one sends to. The message, which may be what receive() answered last, stays
  // as it is until settle(), or until it has certainly arrived.
  virtual Status send(std::span<const std::byte> message) = 0;
  // Waits for the next message, in the order in which they were sent. It is the caller's to change, until the next
  // call.
  virtual Result<std::span<std::byte>> receive() = 0;
  // Waits until all that was sent has left.
  virtual Status settle() = 0;
};

}  // namespace woa::bench
