// HPC Challenge RandomAccess: how many updates a second go to random words of a table that two processes share out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/peers/peer.h"
#include "runtime/measure/report.h"
#include "runtime/transport/shared_memory.h"

namespace woa::bench {

struct RandomAccessOptions {
  std::vector<std::uint64_t> sizes;  // bytes of the table, each a power of two, at least 32
  std::uint64_t repetitions = 11;
  PeerFolder peers;
};

// 10^9 updates a second (GUP/s) by the rules (random_stream.h): one-sided updates one by one, in buckets, and by
// hardware; beside them one process alone, raw buckets, bare headers through the ring of the naive way, and MPI's
// one-sided operations (peer.h). Every launch takes its memory anew and verifies its table.
// kInvalid: a size is no power of two. Otherwise as the launches (random_limits.h, random_updates.h, peer.h).
Result<Report> bench_randomaccess(SharedMemory& transport, const RandomAccessOptions& options);
// kInvalid unless a table may have so many bytes.
Status check_table_size(std::uint64_t size);

}  // namespace woa::bench
