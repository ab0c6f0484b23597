// The kernels of a loop, called one after another: what is left of a firing if nobody does anything around it.
#pragma once

#include "bench/micro/loaded_stage.h"
#include "bench/micro/loop_job.h"

namespace woa::bench {

struct DirectCalls {
  std::uint64_t ns = 0, firings = 0;
};

// Calls the kernels of `job` in the order of its plan, turn after turn, each output in the same place every time, until
// the graph's output is written, and checks that. A kernel's code and message if it fails; kDataLoss as check_answer().
Result<DirectCalls> call_directly(const LoopJob& job, const KernelLibraries& kernels);

}  // namespace woa::bench
