// One direction between two processes whose readers and writers block in the kernel: a pipe, or a TCP connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "runtime/base/unique_fd.h"

namespace woa::bench {

enum class BlockingWay : std::uint8_t {
  kPipe,
  kSocket  // loopback TCP with TCP_NODELAY
};

struct BlockingLink {
  UniqueFd out, in;  // one is written, the other one read
  // Both ends block. kExhausted: the system has no more of them. kUnavailable: it lacks the loopback interface.
  static Result<BlockingLink> make(BlockingWay way);
};

// False: the reader is gone, or, if the descriptor does not block, errno is EAGAIN.
[[nodiscard]] bool write_some(int out, std::span<const std::byte>& rest);
// Writes all of it. False: the reader is gone.
[[nodiscard]] bool write_all(int out, std::span<const std::byte> message);

// The messages that arrive by a link.
class Inbox {
 public:
  virtual ~Inbox() = default;
  // The next message, in place until the next call. Empty: the writer is gone.
  [[nodiscard]] virtual std::span<std::byte> next() = 0;
};

struct InboxOptions {
  BlockingWay way = BlockingWay::kPipe;
  std::uint64_t size = 0;  // bytes of each message
  // Messages that the link holds at most. The inbox of a socket has room for as many and the one in use, so that its
  // thread can always go on reading.
  std::uint32_t window = 1;
};

// Pipes: next() reads. Sockets: a thread of the inbox reads, as libraries for messages do, and hands each message to
// next(), which waits for a condition variable. kExhausted: the system refuses a thread.
Result<std::unique_ptr<Inbox>> open_inbox(const InboxOptions& options, UniqueFd in);

}  // namespace woa::bench
