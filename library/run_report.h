// The result of a run as JSON (docs/commands.md), and its trace.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/latencies.h"
#include "runtime/node/run.h"

namespace woa {

// An instance that failed.
struct FailedInstance {
  std::uint64_t instance;
  Failure failure;
  std::vector<std::pair<std::string, std::string>> inputs = {};  // by name: the file or literal that `woa run` read
};
inline constexpr std::size_t kKeptFailures = 1000;  // of a run, which may have no end; the others are counted

// An output of the graph, over all instances.
struct OutputCount {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint64_t absent = 0;  // instances that left it out
};

struct RunResult {
  const Plan* plan = nullptr;
  std::string processes;               // "one" or "per-controller"
  std::string transport;               // name of the one that shares memory
  std::vector<std::string> providers;  // providers of libfabric, by wire
  Sites sites;
  std::uint64_t instances = 0;           // submitted
  double wall_s = 0;                     // from the first submission to the last completion
  std::uint64_t failed = 0;              // instances
  std::vector<FailedInstance> failures;  // of the first kKeptFailures or so, in the order of instances
  std::vector<OutputCount> outputs;
  Latencies latencies;                // of instances that succeeded
  const RunReport* report = nullptr;  // null if the run was cut short
  Status status;                      // why it was
};
nlohmann::json to_json(const RunResult& result);
nlohmann::json to_json(const Latencies& latencies);
// {"code", "message"}: the value of `error` in every object.
nlohmann::json error_json(const Status& status);

// Chrome trace (loads in Perfetto): one track per worker of a controller, an arrow per packet that crossed.
// otherData.untraced counts the events that came after --trace-limit.
Status write_trace(const Plan& plan, const RunReport& report, const std::string& file);

// A packet that crossed between controllers: the firing that wrote it, and the one that consumed it. Both lie in the
// report's trace.
struct TracedPacket {
  const TraceEvent *from = nullptr, *to = nullptr;
  std::uint32_t edge = 0;
};
std::vector<TracedPacket> traced_packets(const Plan& plan, const RunReport& report);

}  // namespace woa
