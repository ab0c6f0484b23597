// shm: channels between processes of one host, in memory that they share.
#pragma once

#include "runtime/transport/shared_memory.h"

namespace woa {

// Segments are memfds, sealed against resizing, so that no peer can make a mapped page vanish. They have no name in any
// file system: when the last process that holds one ends, however it ends, the memory is freed. Descriptors travel over
// the launcher's sockets and are closed on exec.
class ShmTransport final : public SharedMemory {
 public:
  std::string_view name() const noexcept override { return "shm"; }
  Result<std::shared_ptr<SharedSegment>> allocate(std::string_view label, std::size_t bytes) override;
};

}  // namespace woa
