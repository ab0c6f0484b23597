#include "runtime/transport/ofi/silent_connections.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <filesystem>
#include <system_error>

#include "runtime/base/scalar.h"

namespace woa::ofi {
namespace {

// A peer's provider speaks at once. The system counts repeated answers to the connection instead, up to 255 of them:
// hours.
constexpr int kSpeaksWithinS = 24 * 60 * 60;

bool listens_at(int descriptor, std::string_view address) {
  int listens = 0;
  socklen_t bytes = sizeof listens;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) != 0 || listens == 0) return false;
  sockaddr_storage own{};
  bytes = sizeof own;
  return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &bytes) == 0 && bytes == address.size() &&
         std::memcmp(&own, address.data(), bytes) == 0;
}

}  // namespace

// libfabric does not tell its socket. Those of others are only looked at.
void hold_back_silent_connections(std::string_view address) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const auto descriptor = parse_digits(entry.path().filename().string());
    if (!descriptor || !listens_at(static_cast<int>(*descriptor), address)) continue;
    (void)::setsockopt(static_cast<int>(*descriptor), IPPROTO_TCP, TCP_DEFER_ACCEPT, &kSpeaksWithinS,
                       sizeof kSpeaksWithinS);  // worth having, not worth failing for
    return;
  }
}

}  // namespace woa::ofi
