#include "runtime/transport/shm/shm_transport.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace woa {
namespace {

constexpr std::size_t kMaxLabel = 200;  // memfd_create takes 249 bytes

}  // namespace

Result<std::shared_ptr<SharedSegment>> ShmTransport::allocate(std::string_view label, std::size_t bytes) {
  const std::string what = "shm: segment '" + std::string(label) + "' of " + std::to_string(bytes) + " bytes";
  if (bytes == 0) return {Code::kInvalid, what + "; it needs at least 1"};
  const std::string name = "woa:" + std::string(label.substr(0, kMaxLabel));
  UniqueFd file(memfd_create(name.c_str(), MFD_ALLOW_SEALING | MFD_CLOEXEC));
  if (file.get() < 0) return limit_reached(what + ": memfd_create", errno);
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
    const Status limit = limit_reached(what + ": ftruncate", errno);
    return {limit.code(), limit.message() + "; or lower the window or the ports' bounds"};
  }
  if (fcntl(file.get(), F_ADD_SEALS, kSegmentSeals) != 0)
    return {Code::kInternal, what + ": " + system_error("F_ADD_SEALS")};
  return std::make_shared<SharedSegment>(std::move(file), bytes);
}

}  // namespace woa
