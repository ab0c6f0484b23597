// Two processes that have nothing in common but a socket for descriptions, and an ofi transport each, over this host's
// loopback. Both are children, forked before anything of libfabric is used. No macro of Catch within one.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <string>

#include "runtime/transport/ofi/ofi_transport.h"
#include "tests/support/catch.h"
#include "tests/support/child.h"
#include "tests/support/require.h"

namespace woa::test {

inline constexpr int kChildIsUnavailable = 77, kChildIsWrong = 1;

// A child's exit code; prints why it is wrong.
inline int answer(bool right, const Status& status) {
  if (!right) std::puts(status.message().c_str()), std::fflush(stdout);
  return right ? 0 : kChildIsWrong;
}

// The value of a result that must be ok, in a child.
template <class T>
T need_in_child(Result<T> result) {
  if (!result.ok()) _exit(answer(false, result.status()));
  return std::move(*result);
}

// A child's transport, and its way to the other child.
class OfiSide {
 public:
  explicit OfiSide(int peer_socket) : socket_(peer_socket) {
    auto made = make_ofi_transport({});
    if (made.status().code() == Code::kUnavailable) answer(false, made.status()), _exit(kChildIsUnavailable);
    transport = need_in_child(std::move(made));
  }
  // Connects `link`, whatever library it is of, to the other child's. Nothing is sent before both have done so.
  template <class Link>
  void connect(const Link& link) const {
    tell(link.description());
    if (const Status connected = link.connect(*transport, hear()); !connected.ok()) _exit(answer(false, connected));
    tell("connected");
    (void)hear();
  }
  void tell(const std::string& text) const {
    if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0) std::perror("send"), _exit(kChildIsWrong);
  }
  [[nodiscard]] std::string hear() const {
    std::array<char, 8192> text{};
    const ssize_t bytes = recv(socket_, text.data(), text.size(), 0);
    if (bytes <= 0) std::perror("recv"), _exit(kChildIsWrong);
    return {text.data(), static_cast<std::size_t>(bytes)};
  }

  std::unique_ptr<OfiTransport> transport;

 private:
  int socket_;
};

// Two joined sockets; a text sent is received in one piece.
struct JoinedSockets {
  JoinedSockets() { REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0); }
  ~JoinedSockets() { close(ends[0]), close(ends[1]); }
  JoinedSockets(const JoinedSockets&) = delete;
  JoinedSockets& operator=(const JoinedSockets&) = delete;
  std::array<int, 2> ends{};
};

// Waits for a child that must have been right, or have no libfabric.
inline void require_right(Child& child) {
  const int code = child.exit_code();
  if (code == kChildIsUnavailable) skip("ofi", "a child process could not open it; its reason stands above");
  REQUIRE(code == 0);
}

}  // namespace woa::test
