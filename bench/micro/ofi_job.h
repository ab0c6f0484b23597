// The jobs of raw_fabric_job.h by the transport between hosts.
#pragma once

#include "bench/micro/wire_job.h"

namespace woa::bench {

// Round trips of a packet with `job.bytes` inline.
Result<double> ofi_hop_ns(const WireJob& job);
// Packets with `job.bytes` inline, or headers alone, through a ring of `job.slots` (a power of two).
Result<double> ofi_packets_ns(const WireJob& job);
// Payloads in `job.slots` blocks, which the consumer gives back.
Result<double> ofi_stream_ns(const WireJob& job);

}  // namespace woa::bench
