// The output of a benchmark: every figure beside a limit measured in the same run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/measure/statistics.h"

namespace woa::measure {

// One contender at one size. Samples are in `unit`; ratio_to_limit is its median by the limit's, 0 where there is no
// limit.
struct Row {
  std::string contender;
  std::string role;  // "ours", "limit" or "peer"
  std::uint64_t size = 0;
  std::string unit;
  std::vector<double> samples;
  double ratio_to_limit = 0;

  [[nodiscard]] double min() const { return *std::min_element(samples.begin(), samples.end()); }
  [[nodiscard]] double max() const { return *std::max_element(samples.begin(), samples.end()); }
  [[nodiscard]] double median() const { return measure::median(samples); }
};

// The direction of a good figure: less than the limit for a time or a share, more for a rate or a bandwidth.
enum class Better : std::uint8_t { kLess, kMore };

// The median of one contender divided by another's, where more than the limit is of interest.
struct Ratio {
  std::string of, to;
  std::uint64_t size = 0;
  double value = 0;
};

// A contender that is not installed here, and why.
struct Absent {
  std::string contender, reason;
};

// How many of the sizes (or whatever was repeated) are within a bound, and the worst ratio; 0 where none is.
struct Tally {
  std::string what;
  std::uint64_t within = 0, of = 0;
  double worst = 0;
};

struct Report {
  std::string bench, transport;
  Better better = Better::kLess;
  std::string host_state = "n/a";  // HostProbe::state()
  std::vector<Row> rows = {};
  std::vector<Ratio> ratios = {};
  std::vector<Absent> absent = {};
  std::vector<Tally> tallies = {};
  std::string size_name = "BYTES";  // of Row::size; unless it is BYTES, tallies do not count sizes
};

}  // namespace woa::measure
