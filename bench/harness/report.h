// What a benchmark prints: every figure beside a limit measured in the same run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace woa::bench {

// One contender at one size. Samples are in `unit`; ratio_to_limit compares medians and is 0 where there is no limit.
struct Row {
  std::string contender;
  std::string role;  // "ours", "limit" or "peer"
  std::uint64_t size = 0;
  std::string unit;
  std::vector<double> samples;
  double ratio_to_limit = 0;

  [[nodiscard]] double min() const { return *std::min_element(samples.begin(), samples.end()); }
  [[nodiscard]] double max() const { return *std::max_element(samples.begin(), samples.end()); }
  [[nodiscard]] double median() const {
    std::vector<double> sorted = samples;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

struct Report {
  std::string bench, transport;
  std::string host_state;  // "near" or "far": where the host keeps our two processors, by the raw mailbox; "n/a" where
                           // it was not probed
  std::vector<Row> rows;
};

}  // namespace woa::bench
