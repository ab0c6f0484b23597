// Sockets between hosts, before the other end is known.
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

// A socket that listens on the numeric `address`; port 0: any free one. kInvalid: no such address here, or the port is
// in use.
Result<UniqueFd> listen_tcp(const std::string& address, std::uint16_t port);
// Connects, retrying while nobody listens there, until `deadline_ns` (now_ns()). kUnavailable: nobody did, or no such
// host.
Result<UniqueFd> connect_tcp(const HostAndPort& to, std::uint64_t deadline_ns);

// This process's and the other end's address of a connected or listening socket, as HostAndPort::parse() takes them.
std::string local_address(int socket);
std::string peer_address(int socket);

// Milliseconds until `deadline_ns`, at least 0 and rounded up, for poll().
int milliseconds_until(std::uint64_t deadline_ns);

// Makes the system notice a dead host within seconds, and send small messages at once.
void tune_tcp(int socket);
// True if the other end closed or died; its earlier words may still be read. For sockets of any kind.
bool has_ended(int socket) noexcept;
// has_ended(), or something can be read.
bool has_word(int socket) noexcept;
// From now on a call that blocks fails after `limit_ns` with EAGAIN: a stopped process holds nobody up.
void limit_blocking(int socket, std::uint64_t limit_ns);

// Closes so that the other end sees a reset, which it can tell from an orderly end.
void close_by_reset(UniqueFd socket);

// Exactly as many bytes. kPeerLost: the other end closed. kUnavailable: it reset the connection. kDeadlineExceeded.
Status write_exactly(int socket, std::span<const std::byte> bytes);
Status read_exactly(int socket, std::span<std::byte> bytes, std::uint64_t deadline_ns);

}  // namespace woa
