// One payload for many consumers on one host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/peers/peer.h"
#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

struct FanoutOptions {
  std::vector<std::uint64_t> sizes{64 << 10, 1 << 20};  // bytes of the payload
  std::uint32_t consumers = 8;
  std::uint64_t count = 0;  // payloads of a launch; 0: a number that suits the size
  std::uint64_t repetitions = 11;
  PeerFolder peers = {};
  std::string provider{};  // of libfabric, between all controllers; empty: shared memory
};

// Microseconds from the moment when the source begins to write a payload until the last of its consumers, which do not
// read it, has reported. The limit is one consumer; ours are all consumers on one controller, and on a controller each,
// whose processes share processor 1, as peers' processes do. Peers take no part if peers_can_hold() is false. Over
// libfabric the limit is raw fi_writedata to as many processes; nodes are started with the same provider, and peers
// take no part. kInternal: over shared memory a payload was written, sent or copied more often than the routes say.
// Other errors: as Run::start().
Result<Report> bench_fanout(const RunOptions& options, const FanoutOptions& chosen);

}  // namespace woa::bench
