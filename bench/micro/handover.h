// From the end of one kernel to the start of the next, at every size of the payload between them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

using namespace measure;

struct HandoverOptions {
  std::vector<std::uint64_t> sizes{64, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20};  // bytes of the payload
  std::uint64_t count = 0;  // payloads of a launch; 0: a number that suits the size
  std::uint64_t repetitions = 11;
};

// Nanoseconds from the moment when a kernel on cpu:0 has written its output until the kernel on cpu:1 that reads it is
// called: the median of a launch, by the controllers' traces. Both poll, each on its processor. The limit is a flag
// behind such a payload (raw_handover.h). kInternal: the payload was copied. Otherwise as Run::start().
Result<Report> bench_handover(const RunOptions& options, const HandoverOptions& chosen);

}  // namespace woa::bench
