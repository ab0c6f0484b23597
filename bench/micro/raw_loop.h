// The limit of firings within one controller: an executor of one loop that does what the rules ask for, and no more.
#pragma once

#include "bench/micro/loaded_stage.h"
#include "bench/micro/loop_job.h"

namespace woa::bench {

// Nanoseconds of `job` in this thread: packets of 64 bytes through a queue; for each firing the port and size of every
// token, the order of tags, the loop's bound, credits of every edge, blocks that the last reader gives back, and the
// outputs that the kernel wrote. It knows one instance with one tag under way, and no channels, poison, deadlines or
// traces. A kernel's code and message if it fails; kBrokenContract: a check failed; kDataLoss: as check_answer().
Result<std::uint64_t> raw_loop_ns(const LoopJob& job, const KernelLibraries& kernels);

}  // namespace woa::bench
