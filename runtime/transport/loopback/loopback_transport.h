// loopback: channels between controllers of one process. The reference that other transports are compared with.
#pragma once

#include "runtime/transport/ring_transport.h"

namespace woa {

// Segments are private memory with shared ownership; every mapping of one has the same address and can be written,
// whatever access was asked for. open() answers kUnsupported. Ends may be used by different threads.
class LoopbackTransport final : public RingTransport {
 public:
  std::string_view name() const noexcept override { return "loopback"; }
  Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) override;
  Result<std::shared_ptr<Segment>> open(int descriptor, std::size_t bytes) override;
  Result<std::shared_ptr<Segment>> part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                        std::size_t bytes) override;
  Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access access) override;
};

}  // namespace woa
