#include "runtime/node/join.h"

#include <unistd.h>

#include <algorithm>

#include "runtime/base/clock.h"
#include "runtime/base/text.h"
#include "runtime/node/tcp_socket.h"

namespace woa {
namespace {

Status unproved(const Status& status) {
  return status.code() != Code::kPeerLost
             ? status
             : Status(Code::kUnauthentic, "the run closed the connection: it has another secret, or all its nodes");
}

constexpr useconds_t kAgain_us = 50'000;
constexpr std::uint64_t kListensNs = 500'000'000;  // for a run that dropped a connection to accept the next

// Joins over one connection. kUnavailable: the run dropped it for others.
Result<Membership> introduce(UniqueFd connected, const JoinOptions& options, const RunSecret& secret,
                             std::uint64_t deadline) {
  Result<UniqueFd> socket(std::move(connected));
  tune_tcp(socket->get());
  handshake::Greeting greeting;
  WOA_RETURN_IF_ERROR(read_exactly(socket->get(), handshake::bytes_of(greeting), deadline));
  auto answer = handshake::answer(greeting, options.controller, options.job, secret);
  if (!answer.ok()) return answer.status();
  const std::uint64_t asked = now_ns();
  WOA_RETURN_IF_ERROR(write_exactly(socket->get(), handshake::bytes_of(*answer)));
  handshake::Admission admission;
  WOA_RETURN_IF_ERROR(unproved(read_exactly(socket->get(), handshake::bytes_of(admission), deadline)));
  const std::uint64_t half = (now_ns() - asked) / 2;
  WOA_RETURN_IF_ERROR(handshake::accept(greeting, *answer, admission, secret));
  Membership membership{ControlSocket(std::move(*socket)), {}, 0, admission.hello_within_ns};
  membership.local_address = local_address(membership.socket.descriptor());
  membership.clock_ahead_ns = static_cast<std::int64_t>(admission.now_ns - (asked + half));
  return membership;
}

}  // namespace

Result<Membership> join(const JoinOptions& options, const RunSecret& secret) {
  auto to = HostAndPort::parse(options.address);
  if (!to.ok()) return to.status();
  const std::uint64_t deadline = now_ns() + options.timeout_ns;
  auto socket = connect_tcp(*to, deadline);
  for (std::uint64_t dropped = 1; socket.ok(); ++dropped) {
    auto membership = introduce(std::move(*socket), options, secret, deadline);
    if (membership.status().code() != Code::kUnavailable) return membership;
    if (now_ns() >= deadline)
      return {Code::kUnavailable, "the run at " + options.address + " dropped " + counted(dropped, "connection") +
                                      " of this node for others; who else connects to that port?"};
    ::usleep(kAgain_us);
    socket = connect_tcp(*to, std::min(deadline, now_ns() + kListensNs));
    if (!socket.ok())
      return {Code::kUnauthentic, "the run closed the connection and listens no more: it has all its nodes"};
  }
  return socket.status();
}

}  // namespace woa
