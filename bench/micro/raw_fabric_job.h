// libfabric with nothing around it: fi_writedata into the other process's memory, and a poll there.
#pragma once

#include "bench/micro/wire_job.h"

namespace woa::bench {

// Round trips of `job.bytes`.
Result<double> raw_fabric_hop_ns(const WireJob& job);
// A stream into `job.slots` slots; a credit, without bytes, comes back for each quarter of them.
Result<double> raw_fabric_stream_ns(const WireJob& job);

}  // namespace woa::bench
