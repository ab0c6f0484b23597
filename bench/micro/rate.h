// How many small messages a second go from one process to another.
#pragma once

#include <cstdint>

#include "bench/harness/report.h"
#include "bench/peers/peer.h"
#include "runtime/transport/transport.h"

namespace woa::bench {

// One direction, headers alone, in million messages a second, through rings of 64 and of 1024 slots: activations (as a
// token sends one), packets of a kind without payload, and as their limit 8 bytes through a raw mailbox with as many
// slots, which returns credits a quarter of them at a time; in turns with the larger rings, 8 bytes by each peer.
// `messages` 0: 2,000,000. Errors as header_stream_ns() and peer_ns_each().
Result<Report> bench_rate(Transport& transport, std::uint64_t messages, std::uint64_t repetitions,
                          const PeerFolder& peers);

}  // namespace woa::bench
