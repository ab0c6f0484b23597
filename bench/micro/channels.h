// The cost of many unused channels.
#pragma once

#include <cstdint>

#include "runtime/measure/report.h"
#include "runtime/transport/shared_memory.h"

namespace woa::bench {

using namespace measure;

// Two processes with `pairs` channels each way, parts of one segment: resident memory per pair (KiB: the segment's
// pages, and what each process took for its ends) before the first packet and after every ring was full, and how many
// descriptors this process has open. kUnsupported: the transport's memory does not cross processes. kPeerLost: a
// channel did not carry its packets.
Result<Report> bench_channels(SharedMemory& transport, std::uint64_t pairs);

}  // namespace woa::bench
