// The result of a run as JSON (docs/commands.md), and its trace.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/base/latencies.h"
#include "runtime/node/run.h"

namespace woa {

struct RunResult {
  const Plan* plan = nullptr;
  std::string processes;               // "one" or "per-controller"
  std::string transport;               // name of the one that shares memory
  std::vector<std::string> providers;  // providers of libfabric, by wire
  Sites sites;
  std::uint64_t instances = 0;        // submitted
  double wall_s = 0;                  // from the first submission to the last completion
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
