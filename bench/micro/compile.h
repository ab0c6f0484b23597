// How long the compiler takes for random graphs, and how good its placements are known to be.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "bench/harness/report.h"
#include "runtime/base/status.h"

namespace woa::bench {

struct CompileBenchOptions {
  std::uint32_t stages = 150, controllers = 3;
  std::string objective = "latency";  // or "throughput"
  std::uint32_t graphs = 20;          // random ones, each compiled once
  std::chrono::milliseconds placement_limit{10'000};
};

// From the YAML file to the plan: parse, check, place, emit. Stages read one or two of the eight before them; each
// takes 5 to 60 us, another time on every controller; each edge carries up to 30 KiB. Milliseconds; tallies say how
// many placements were proved, and the largest gap (as 1 + gap). kExhausted: no room for temporary files. kInternal:
// the compiler refused a graph (the message has its diagnostic).
Result<Report> bench_compile(const CompileBenchOptions& options);

}  // namespace woa::bench
