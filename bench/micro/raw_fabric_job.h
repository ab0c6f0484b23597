// Plain libfabric: fi_writedata into the other process's memory, and a poll there.
#pragma once

#include <string>

#include "bench/micro/wire_job.h"
#include "bench/peers/peer_program.h"

namespace woa::bench {

// Opens one side of round trips of `job.bytes`.
Result<Side> open_raw_fabric_hop(const WireJob& job, const Talk& talk);
// Opens one side of a stream into `job.slots` slots; an empty credit comes back for each quarter of them.
Result<Side> open_raw_fabric_stream(const WireJob& job, const Talk& talk);
// Nanoseconds of all the round trips, or of the whole stream, with both sides.
Result<double> raw_fabric_hop_ns(const WireJob& job);
Result<double> raw_fabric_stream_ns(const WireJob& job);
// Nanoseconds for each of a pipeline's items, or of a fan-out's payloads (fabric_messenger.h).
Result<double> raw_fabric_shape_ns(const std::string& provider, PeerArguments job);

}  // namespace woa::bench
