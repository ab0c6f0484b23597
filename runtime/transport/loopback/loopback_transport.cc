#include "runtime/transport/loopback/loopback_transport.h"

#include <string>

namespace woa {

Result<std::shared_ptr<SharedSegment>> LoopbackTransport::allocate(std::string_view label, std::size_t bytes) {
  const std::string what = "loopback: segment '" + std::string(label) + "'";
  if (bytes == 0) return {Code::kInvalid, what + " of 0 bytes; it needs at least 1"};
  Result<std::unique_ptr<Mapping>> memory = map_pages(-1, bytes, Access::kReadWrite);
  if (!memory.ok()) return memory.status().with_context(what);
  return std::make_shared<SharedSegment>(std::move(*memory));
}

}  // namespace woa
