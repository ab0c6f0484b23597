#include "runtime/node/tcp_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/scalar.h"
#include "runtime/base/status.h"

namespace woa {
namespace {

constexpr int kBacklog = 1024;  // the system may lower it
constexpr useconds_t kRetry_us = 50'000;
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kAttemptNs = 2'000'000'000;  // to one of a host's addresses

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<Addresses> resolve(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) return {Code::kUnavailable, "no host '" + host + "': " + ::gai_strerror(error) + limit_at_hand()};
  return Addresses(found, &::freeaddrinfo);
}

std::string to_text(const sockaddr_storage& address, socklen_t bytes) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host.data(), host.size(), port.data(),
                    port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "an unknown address";
  const std::string text = host.data();
  return (address.ss_family == AF_INET6 ? "[" + text + "]" : text) + ":" + port.data();
}

// 0, or errno. Does not block past the deadline.
int try_connect(int socket, const addrinfo& to, std::uint64_t deadline_ns) {
  if (::connect(socket, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd polled{socket, POLLOUT, 0};
  if (::poll(&polled, 1, milliseconds_until(deadline_ns)) <= 0) return ETIMEDOUT;
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

Status reset() { return {Code::kUnavailable, "the other end reset the connection"}; }

void set(int socket, int level, int name, int value) {
  // Worth having, not worth failing for: the wires' keep-alives notice a dead host, too.
  (void)::setsockopt(socket, level, name, &value, sizeof value);
}

}  // namespace

Result<HostAndPort> HostAndPort::parse(std::string_view text) {
  const Status malformed{Code::kInvalid, "'" + std::string(text) +
                                             "' is no address: expected HOST:PORT or [IPV6]:PORT, as printed by "
                                             "`woa run --nodes`"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return malformed;
  std::string_view host = text.substr(0, colon);
  const auto port = parse_digits(text.substr(colon + 1));
  if (host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return malformed;
  }
  if (host.empty() || !port || *port == 0 || !std::in_range<std::uint16_t>(*port)) return malformed;
  return HostAndPort{std::string(host), static_cast<std::uint16_t>(*port)};
}

Result<UniqueFd> listen_tcp(const std::string& address, std::uint16_t port) {
  auto found = resolve(address, port, AI_NUMERICHOST | AI_PASSIVE);
  if (!found.ok()) return found.status();
  const addrinfo& at = **found;
  UniqueFd socket(::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  set(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (socket.get() >= 0 && ::bind(socket.get(), at.ai_addr, at.ai_addrlen) == 0 &&
      ::listen(socket.get(), kBacklog) == 0)
    return socket;
  const int error = errno;
  if (is_limit(error)) return limit_reached("listening on " + address, error);
  const std::string advice = error == EADDRINUSE ? "; choose another port, or none for any that is free" : "";
  return {Code::kInvalid,
          "cannot listen on " + address + " port " + std::to_string(port) + ": " + std::strerror(error) + advice};
}

Result<UniqueFd> connect_tcp(const HostAndPort& to, std::uint64_t deadline_ns) {
  auto found = resolve(to.host, to.port, 0);
  if (!found.ok()) return found.status();
  for (;;) {
    int error = 0;
    for (const addrinfo* at = found->get(); at != nullptr; at = at->ai_next) {
      UniqueFd socket(::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const std::uint64_t attempt_ns = std::min(deadline_ns, now_ns() + kAttemptNs);  // it may not answer
      error = socket.get() < 0 ? errno : try_connect(socket.get(), *at, attempt_ns);
      if (error == 0 && ::fcntl(socket.get(), F_SETFL, 0) == 0) return socket;  // from here on it may block
    }
    if (is_limit(error)) return limit_reached("connecting to " + to.host, error);
    if (now_ns() + kRetry_us * 1000 >= deadline_ns)
      return {Code::kUnavailable, "no run waits for nodes at " + to.host + ":" + std::to_string(to.port) + ": " +
                                      std::strerror(error) + "; start `woa run --nodes` first"};
    ::usleep(kRetry_us);
  }
}

int milliseconds_until(std::uint64_t deadline_ns) {
  const std::uint64_t now = now_ns();
  return deadline_ns <= now ? 0 : static_cast<int>((deadline_ns - now) / kNsPerMs + 1);
}

std::string local_address(int socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return "an unknown address";
  return to_text(address, bytes);
}

std::string peer_address(int socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return "an unknown address";
  return to_text(address, bytes);
}

void tune_tcp(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 4000);
}

bool has_ended(int socket) noexcept {
  pollfd polled{socket, POLLRDHUP, 0};
  return ::poll(&polled, 1, 0) > 0;
}

bool has_word(int socket) noexcept {
  pollfd polled{socket, POLLIN | POLLRDHUP, 0};
  return ::poll(&polled, 1, 0) > 0;
}

void limit_blocking(int socket, std::uint64_t limit_ns) {
  const timeval limit{.tv_sec = static_cast<time_t>(limit_ns / 1'000'000'000),
                      .tv_usec = static_cast<suseconds_t>(limit_ns % 1'000'000'000 / 1000)};
  (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);  // sockets of every kind have these two
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

void close_by_reset(UniqueFd socket) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

Status write_exactly(int socket, std::span<const std::byte> bytes) {
  // A few hundred bytes on a new connection fit its buffer.
  const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(bytes.size())) return {};
  if (sent < 0 && (errno == ECONNRESET || errno == EPIPE)) return reset();
  return {Code::kPeerLost, std::string("the other end is gone: ") + std::strerror(sent < 0 ? errno : EPIPE)};
}

Status read_exactly(int socket, std::span<std::byte> bytes, std::uint64_t deadline_ns) {
  while (!bytes.empty()) {
    pollfd polled{socket, POLLIN, 0};
    if (::poll(&polled, 1, milliseconds_until(deadline_ns)) == 0)
      return {Code::kDeadlineExceeded, "the other end says nothing"};
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0 && errno == ECONNRESET) return reset();
    if (got <= 0)
      return {Code::kPeerLost, got == 0 ? "the other end closed the connection" : std::string(std::strerror(errno))};
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace woa
