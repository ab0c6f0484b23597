// shm: channels between processes of one host, in memory that they share.
#pragma once

#include "runtime/transport/ring_transport.h"

namespace woa {

// Segments are memfds, sealed against resizing, so that no peer can make a mapped page vanish. They have no name in any
// file system: when the last process that holds one ends, however it ends, the memory is freed. Descriptors travel over
// the launcher's sockets and are closed on exec.
class ShmTransport final : public RingTransport {
 public:
  std::string_view name() const noexcept override { return "shm"; }
  Result<std::shared_ptr<Segment>> allocate(std::string_view label, std::size_t bytes) override;
  Result<std::shared_ptr<Segment>> open(int descriptor, std::size_t bytes) override;
  Result<std::shared_ptr<Segment>> part(const std::shared_ptr<Segment>& segment, std::size_t offset,
                                        std::size_t bytes) override;
  Result<std::unique_ptr<Mapping>> map(const std::shared_ptr<Segment>& segment, Access access) override;
};

}  // namespace woa
