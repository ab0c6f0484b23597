#include "runtime/transport/shm/shm_transport.h"

namespace woa {

Result<std::shared_ptr<SharedSegment>> ShmTransport::allocate(std::string_view label, std::size_t bytes) {
  return SharedSegment::make(label, bytes);
}

}  // namespace woa
