// How long the compiler takes for random graphs (random_graph.h), and how good its placements are known to be.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/measure/report.h"

namespace woa::bench {

using namespace measure;

struct CompileBenchOptions {
  std::uint32_t stages = 150, controllers = 3;
  std::string objective = "latency";  // or "throughput"
  std::uint32_t graphs = 20;          // random ones, each compiled once
  std::chrono::milliseconds placement_limit{10'000};
};

// From the YAML file to the plan: parse, check, place, emit. Milliseconds, and the most memory that the process had
// meanwhile; tallies say how many placements were proved, and the largest gap (as 1 + gap). kExhausted: no room for
// temporary files. kInternal: the compiler refused a graph (the message has its diagnostic).
Result<Report> bench_compile(const CompileBenchOptions& options);

struct CheckBenchOptions {
  std::vector<std::uint32_t> stages{1'000, 10'000, 100'000};  // at least one
  std::uint32_t graphs = 3;                                   // random ones of each size, each checked once
};

// Parse and check only. Milliseconds, and, for several sizes, the exponent of growth from the least to the most beside
// that of n log n. Errors: as bench_compile().
Result<Report> bench_check(const CheckBenchOptions& options);

}  // namespace woa::bench
