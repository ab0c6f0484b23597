// The result of `woa run`: collected while it runs, printed as JSON or for people.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "library/run_report.h"
#include "runtime/base/latencies.h"
#include "runtime/node/run.h"
#include "tools/woa/failure_report.h"
#include "tools/woa/run_files.h"

namespace woa::tools {

struct CommandResult : RunResult {
  Latencies turnarounds;   // as `latencies`, until the outputs were written
  std::uint64_t done = 0;  // instances that succeeded and whose outputs were written
  std::string so_far;      // of a run that was cut short: what was done, and where it is; else empty
  std::vector<OutputFiles::Summary> files;
  std::string objective;  // that the stages were placed for; empty: no profile was there
};

// The object of `woa run --json` (docs/commands.md).
nlohmann::json to_json(const CommandResult& result);
// Failures, and what is missing from the report and, if `traced`, from the trace, on stderr; with `summary` also a few
// aligned lines on stdout.
void print(const CommandResult& result, bool summary, bool traced);

}  // namespace woa::tools
