// Transfer methods against each other: the data for choosing one, and a check of that choice.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/measure/report.h"
#include "runtime/node/run.h"

namespace woa::measure {

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
  std::uint32_t inline_bytes = 0;  // the best limit: steady_crossing() of the times
  std::vector<MethodTimes> medians;
};

// Measures every size with every method over options.transport, all in turns within each repetition. Errors as
// token_hop_ns(), and kUnavailable as PinnedPair.
Result<MethodCalibration> calibrate_methods(const RunOptions& options, const MethodOptions& chosen);

// Each size with each method that can carry it, beside the choice of a plan whose edges have the limit `inline_bytes`.
// The choice is compared with the better method; the report's tally counts the sizes within 10 %. Errors: as
// calibrate_methods().
Result<Report> bench_methods(const RunOptions& options, std::uint32_t inline_bytes, const MethodOptions& chosen);

// 8 B, 16 B, ... up to `most_bytes`.
std::vector<std::uint64_t> doubling_sizes(std::uint64_t most_bytes);

}  // namespace woa::measure
