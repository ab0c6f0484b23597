// The result of a run: collected while it runs, printed as JSON or for people.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/latencies.h"
#include "runtime/node/run.h"
#include "tools/woa/failure_report.h"
#include "tools/woa/run_files.h"

namespace woa::tools {

struct RunResult {
  const Plan* plan = nullptr;
  std::string processes;               // "one" or "per-controller"
  std::string transport;               // name of the one that shares memory
  std::vector<std::string> providers;  // providers of libfabric, by wire
  Sites sites;
  std::uint64_t instances = 0;
  double wall_s = 0;                     // from the first submission to the last completion
  bench::Latencies latencies;            // of instances that succeeded
  bench::Latencies turnarounds;          // of the same, until their outputs were written
  std::uint64_t done = 0;                // instances that succeeded and whose outputs were written
  std::vector<FailedInstance> failures;  // in the order of instances
  std::vector<OutputFiles::Summary> outputs;
  std::optional<RunReport> report;  // absent if the run was cut short
  Status status;                    // why it was cut short; or what became of its files
};

// The object of `woa run --json` (docs/commands.md).
nlohmann::json to_json(const RunResult& result);
// Failures, and what is missing from the report, on stderr; with `summary` also a few aligned lines on stdout.
void print(const RunResult& result, bool summary);

// Chrome trace (loads in Perfetto): one track per worker of a controller, an arrow per packet that crossed.
// otherData.untraced counts the events that came after --trace-limit.
Status write_trace(const Plan& plan, const RunReport& report, const std::string& file);

}  // namespace woa::tools
