// What a firing costs within one controller, above its kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/micro/loop_job.h"
#include "bench/peers/peer.h"
#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

struct FiringOptions {
  std::vector<std::string> loops{"dijkstra", "null", "chain", "fan-out", "wavefront"};  // as loop_job() names them
  std::uint64_t count = 200'000;                                                        // firings of a launch, about
  std::uint64_t repetitions = 11;
  PeerFolder peers = {};
};

// Nanoseconds of `job` in a controller of its own, pinned to processor 0, in a thread of this process, after a warm-up.
// kDataLoss: as check_answer(). Otherwise as Run::start().
Result<std::uint64_t> controller_loop_ns(const RunOptions& options, const LoopJob& job);

// ns per firing of each loop, without those of the kernels, which the direct calls of the same repetition take. The
// limit is the raw loop; peers run the graphs of tasks. Size: stages of the loop. Errors: as controller_loop_ns(),
// raw_loop_ns(), call_directly() and launch_peer(); kInvalid: no such loop.
Result<Report> bench_firing(const RunOptions& options, const FiringOptions& chosen);

}  // namespace woa::bench
