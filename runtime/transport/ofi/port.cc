#include "runtime/transport/ofi/port.h"

#include <linux/filter.h>
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

bool is_at(int descriptor, std::string_view address) {
  sockaddr_storage own{};
  socklen_t bytes = sizeof own;
  return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &bytes) == 0 && bytes == address.size() &&
         std::memcmp(&own, address.data(), bytes) == 0;
}

bool listens(int descriptor) {
  int answer = 0;
  socklen_t bytes = sizeof answer;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &answer, &bytes) == 0 && answer != 0;
}

template <class Action>
void for_sockets_at(std::string_view address, Action&& action) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const auto descriptor = parse_digits(entry.path().filename().string());
    if (descriptor && is_at(static_cast<int>(*descriptor), address)) action(static_cast<int>(*descriptor));
  }
}

// Worth having, not worth failing for.
template <class Value>
void set_for_listener(std::string_view address, int level, int name, const Value& value) {
  for_sockets_at(address, [&](int descriptor) {
    if (listens(descriptor)) (void)::setsockopt(descriptor, level, name, &value, sizeof value);
  });
}

}  // namespace

void hold_back_silent_connections(std::string_view address) {
  set_for_listener(address, IPPROTO_TCP, TCP_DEFER_ACCEPT, kSpeaksWithinS);
}

void close_to_newcomers(std::string_view address) {
  sock_filter keep_nothing{BPF_RET | BPF_K, 0, 0, 0};
  set_for_listener(address, SOL_SOCKET, SO_ATTACH_FILTER, sock_fprog{1, &keep_nothing});
}

void end_connections(std::string_view address) {
  for_sockets_at(address, [](int descriptor) {
    if (!listens(descriptor)) (void)::shutdown(descriptor, SHUT_RDWR);
  });
}

}  // namespace woa::ofi
