// Sockets between hosts, before anything is known of who is at the other end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/node/control_socket.h"

namespace woa {

// "10.77.0.1:4711", "[fd00::1]:4711", "head-node:4711".
struct HostAndPort {
  std::string host;
  std::uint16_t port = 0;
  static Result<HostAndPort> parse(std::string_view text);  // kInvalid says what an address looks like
};

// A socket that listens on the numeric `address`; port 0: any that is free. kInvalid: no such address here, or the
// port is in use.
Result<UniqueFd> listen_tcp(const std::string& address, std::uint16_t port);
// Connects, trying again while nobody listens there, until `deadline_ns` (now_ns()). kUnavailable: nobody did, or no
// such host.
Result<UniqueFd> connect_tcp(const HostAndPort& to, std::uint64_t deadline_ns);

// This process's and the other end's address of a connected or listening socket, as HostAndPort::parse() takes them.
std::string local_address(int socket);
std::string peer_address(int socket);

// Milliseconds until then, at least 0 and rounded up, as poll() takes them.
int milliseconds_until(std::uint64_t deadline_ns);

// A dead host is noticed within seconds, and small messages leave at once.
void tune_tcp(int socket);
// The other end closed or died; what it said before may still be read. Of a socket of any kind.
bool has_ended(int socket) noexcept;
// The same, or something can be read.
bool has_word(int socket) noexcept;
// From now on a call that blocks fails after so long with EAGAIN: a process that is stopped holds nobody up.
void limit_blocking(int socket, std::uint64_t limit_ns);

// Closes so that the other end sees a reset, which it can tell from an orderly end.
void close_by_reset(UniqueFd socket);

// Exactly so many bytes, or: kPeerLost, the other end closed; kUnavailable, it reset the connection; kDeadlineExceeded.
Status write_exactly(int socket, std::span<const std::byte> bytes);
Status read_exactly(int socket, std::span<std::byte> bytes, std::uint64_t deadline_ns);

}  // namespace woa
