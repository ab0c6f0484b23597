// The node's side of joining a run that waits on another host, or on this one.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/status.h"
#include "runtime/node/control_socket.h"
#include "runtime/node/handshake.h"
#include "runtime/node/run_secret.h"

namespace woa {

struct JoinOptions {
  std::string address;                        // HOST:PORT of the run
  std::string controller;                     // that this node asks to serve; empty: any
  JobPlace job;                               // of the launcher that started this process
  std::uint64_t timeout_ns = 10'000'000'000;  // to reach the run
};

struct Membership {
  ControlSocket socket;
  std::string local_address;          // HOST:PORT of this end: an address by which the host reaches this process
  std::int64_t clock_ahead_ns = 0;    // of the host's clock over this one's, within half a round trip
  std::uint64_t hello_within_ns = 0;  // the longest time until the run begins or gives up
};

// Blocks until the run has accepted this process as a node; serve_node() then takes the socket. kUnavailable: nobody
// waits there. kUnauthentic: one of the two lacks the run's secret, or the run has all its nodes. kUnsupported: another
// version. kInvalid: the address or the name is malformed. kPeerLost, kDeadlineExceeded: the other end went away, or
// says nothing.
Result<Membership> join(const JoinOptions& options, const RunSecret& secret);

}  // namespace woa
