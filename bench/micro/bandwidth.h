// How many bytes a second go from one process to another.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/peers/peer.h"
#include "runtime/measure/report.h"
#include "runtime/transport/shared_memory.h"

namespace woa::bench {

struct BandwidthOptions {
  std::vector<std::uint64_t> sizes{64 << 10, 1 << 20, 64 << 20};  // bytes of a payload, each at least 1
  std::uint32_t slots = 8;                                        // of the mailbox, and blocks of the transport
  std::uint64_t count = 0;                                        // payloads per launch; 0: as many as make 2 GiB
  std::uint64_t repetitions = 11;
  PeerFolder peers;
};

// One direction, one copy into memory that the consumer sees, in GB/s (10^9 bytes): the transport beside the raw
// mailbox with as many slots, beside memcpy in one process, and beside peers up to a size of 256 MiB (their libraries
// hold several messages, and count bytes with 32 bits). Every launch forks anew and takes its memory anew.
// kExhausted: the payloads of a size do not fit the available memory (peers hold eight). Other errors: as
// payload_stream_ns() and peer_ns_each().
Result<Report> bench_bandwidth(SharedMemory& transport, const BandwidthOptions& options);

}  // namespace woa::bench
