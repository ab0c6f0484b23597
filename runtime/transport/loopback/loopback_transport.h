// loopback: channels between controllers of one process. The reference that other transports are compared with.
#pragma once

#include "runtime/transport/shared_memory.h"

namespace woa {

// Segments are private memory with shared ownership; every mapping of one has the same address. Ends may be used by
// different threads.
class LoopbackTransport final : public SharedMemory {
 public:
  std::string_view name() const noexcept override { return "loopback"; }
  Result<std::shared_ptr<SharedSegment>> allocate(std::string_view label, std::size_t bytes) override;
};

}  // namespace woa
