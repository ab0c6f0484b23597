// Contenders that do the same job in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/status.h"
#include "runtime/measure/host_probe.h"
#include "runtime/measure/report.h"

namespace woa::measure {

struct Contender {
  std::string name;
  std::string role;                        // as in Row
  std::uint64_t size = 0;                  // as in Row
  std::function<Result<double>()> launch;  // does the job once; its figure, in the contest's unit
};

struct Contest {
  std::string unit;
  std::uint64_t repetitions = 1;
  std::string limit;  // the contender that all but the limits are compared with
  std::vector<Contender> contenders;
};

// Launches every contender once per repetition, one after another, so that whatever happens on the machine meanwhile
// meets all alike. `between` runs before the first repetition and after each. The first failure ends the contest and
// names its contender.
Result<std::vector<Row>> run_contest(const Contest& contest, const std::function<Status()>& between);
// The same between looks of `probe`, whose state becomes the report's. Appends the rows to the report and returns them;
// they are valid until it grows again.
Result<std::span<Row>> run_contest(const Contest& contest, HostProbe& probe, Report& report);

// Adds the median of contender `of` divided by that of `to` to the report; nothing if one of them is missing.
void add_ratio(Report& report, std::span<const Row> rows, const std::string& of, const std::string& to);

// Units of `amount` per nanosecond, for a launch that took `ns`.
Result<double> per_ns(double amount, const Result<double>& ns);

}  // namespace woa::measure
