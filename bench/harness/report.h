// What a benchmark prints: every figure beside a limit measured in the same run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/statistics.h"

namespace woa::bench {

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
  [[nodiscard]] double median() const { return bench::median(samples); }
};

// What a good figure is: a time and a share are to be less than the limit's, a rate and a bandwidth more.
enum class Better : std::uint8_t { kLess, kMore };

// How many times the median of one contender is that of another, where more than the limit is of interest.
struct Ratio {
  std::string of, to;
  std::uint64_t size = 0;
  double value = 0;
};

// A contender that is not installed here, and why.
struct Absent {
  std::string contender, reason;
};

// How many of the sizes (or whatever was repeated) are so, and the worst ratio; 0 where none is.
struct Tally {
  std::string what;
  std::uint64_t within = 0, of = 0;
  double worst = 0;
};

struct Report {
  std::string bench, transport;
  Better better = Better::kLess;
  std::string host_state;  // HostProbe::state(); "n/a" where it was not probed
  std::vector<Row> rows;
  std::vector<Ratio> ratios = {};
  std::vector<Absent> absent = {};
  std::vector<Tally> tallies = {};
  std::string size_name = "BYTES";  // of Row::size; tallies then count what has that size
};

}  // namespace woa::bench
