// Costs and gains of a GPU's controller, beside the same kernels launched by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

using namespace measure;

struct GpuOptions {
  std::vector<std::string> parts{"packet", "stages", "bandwidth", "pipeline", "in-place"};
  std::vector<std::uint64_t> sizes = {};     // bytes of a packet; none: those that suit the part
  std::vector<std::uint32_t> windows{1, 4};  // of ours in `packet` and `stages`, each 1 to kMaxWindow
  std::uint64_t count = 0;                   // packets of a launch; 0: a number that suits the part and the size
  std::uint64_t repetitions = 5;
};

// Microseconds; the first device, gpu:0. Each launch has processes of its own. Data are random and checked in every
// launch: kDataLoss names the contender, the byte, and what it should be. kUnavailable: no device; the reason is that
// of the probe.
Result<Report> bench_gpu(const RunOptions& options, const GpuOptions& chosen);

}  // namespace woa::bench
