// Transfer methods against each other: what the choice between them is made from, and whether it is a good one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness/report.h"
#include "runtime/node/run.h"

namespace woa::bench {

struct MethodOptions {
  std::vector<std::uint64_t> sizes;  // bytes of a payload, each at least 8, ascending
  std::uint64_t count = 0;           // hops of a launch; 0: as many as make 256 MiB, 8 to 20,000
  std::uint64_t repetitions = 11;
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};  // launches; may be empty
};

// Medians of one size, in nanoseconds a hop (token_hop.h).
struct MethodTimes {
  std::uint64_t bytes = 0;
  double in_place_ns = 0;
  double inline_ns = 0;  // 0: too large for a place behind a header
};

struct MethodCalibration {
  std::string transport;
  std::string host_state;          // HostProbe::state()
  std::uint32_t inline_bytes = 0;  // the best limit: crossing() of the medians
  std::vector<MethodTimes> medians;
};

// Measures every size with every method over options.transport, all in turns within each repetition. Errors as
// token_hop_ns(), and kUnavailable as PinnedPair.
Result<MethodCalibration> calibrate_methods(const RunOptions& options, const MethodOptions& chosen);

// Each size with each method that can carry it, beside what a plan whose edges have the limit `inline_bytes` chooses.
// That one's ratio is to the better of the others; the report's tally counts how many are within 10 %. Errors likewise.
Result<Report> bench_methods(const RunOptions& options, std::uint32_t inline_bytes, const MethodOptions& chosen);

// 8 B, 16 B, ... up to `most_bytes`.
std::vector<std::uint64_t> doubling_sizes(std::uint64_t most_bytes);

}  // namespace woa::bench
