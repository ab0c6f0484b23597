// One payload for many consumers on one host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/report.h"
#include "bench/peers/peer.h"
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
// look at it, has said so. The limit is the same with one consumer; ours are all of them on one controller, and on a
// controller each, whose processes share processor 1. So do those of peers, which take no part where peers_can_hold()
// is false. Over libfabric the limit is raw fi_writedata to as many processes, which nodes are started with; peers take
// no part. kInternal: over shared memory a payload was written, sent or copied more often than the routes say.
// Otherwise as Run::start().
Result<Report> bench_fanout(const RunOptions& options, const FanoutOptions& chosen);

}  // namespace woa::bench
