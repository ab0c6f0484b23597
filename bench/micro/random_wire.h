// RandomAccess between two processes that share no memory.
#pragma once

#include <string>

#include "bench/micro/random_stream.h"
#include "runtime/base/status.h"

namespace woa::bench {

// Nanoseconds for all updates of `table`; each of two pinned processes owns and makes half of them, and updates its own
// half in place. Errors: as run_sides(), which reports a wrong part of the other process on stderr, and kDataLoss: this
// one's part was wrong afterwards.
//
// libfabric alone: sends the other's numbers, 1024 at a time, by fi_writedata.
Result<double> raw_wire_buckets_ns(const std::string& provider, const RandomTable& table);
// Sends a packet for every update of the other's half.
Result<double> naive_wire_updates_ns(const std::string& provider, const RandomTable& table);
// Sends a bucket of updates for every 1024 numbers.
Result<double> aggregated_wire_updates_ns(const std::string& provider, const RandomTable& table);

}  // namespace woa::bench
