// Runs of ours through a chain of stages on gpu:0, for the benchmarks of a GPU.
#pragma once

#include <cstdint>
#include <string>

#include "bench/gpu/own_process.h"
#include "runtime/node/run.h"

namespace woa::bench {

struct GpuRun {
  std::uint32_t stages = 1;
  std::uint64_t bytes = 64, count = 1;
  std::uint32_t window = 1;
  bool resident = false;   // a worker for each stage that stays on the device; else streams
  bool processes = false;  // the GPU's controller is another process; else a thread of this one
};

// The kernels of chain_of(), each a stage on gpu:0. The device publishes what they write.
Plan gpu_chain(const GpuRun& run);

// Microseconds a packet, over all packets, from the host and back to it. Every result is checked. Errors: as
// Run::start() and of the run; kDataLoss: a wrong byte.
Result<Figures> run_packet_us(const RunOptions& options, const GpuRun& run);

// Microseconds of the median packet: from the start of the first stage's kernel to the end of the last one's, by the
// firings' times; and from the filled block until the result is there. Then the bytes that the runtime copied between
// the stages, a packet: each crossed the bus.
Result<Figures> run_pipeline_us(const RunOptions& options, const std::string& model, const GpuRun& run);

}  // namespace woa::bench
