// How many small messages a second go from one process to another.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/peers/peer.h"
#include "runtime/measure/report.h"
#include "runtime/transport/shared_memory.h"

namespace woa::bench {

struct RateOptions {
  static constexpr std::uint64_t kMostBytes = 4096;  // what is larger goes through blocks: `bandwidth`
  std::vector<std::uint64_t> sizes{0};  // bytes inline behind a header, at most kMostBytes; 0: headers alone
  std::uint64_t count = 0;              // messages of a launch; 0: 2,000,000
  std::uint64_t repetitions = 11;
  PeerFolder peers = {};
};

// One direction, in million messages a second, through rings of 64 and of 1024 slots: activations (as a token sends
// one) and, of headers alone, packets of a kind without payload. Their limit is a raw mailbox with as many slots, which
// returns credits a quarter of them at a time: of as many bytes, or for headers of lines as long as they are; one of 8
// bytes, the job of the peers, stands beside it. Peers take turns with the larger rings. Errors as packet_stream_ns()
// and peer_ns_each().
Result<Report> bench_rate(SharedMemory& transport, const RateOptions& options);

}  // namespace woa::bench
