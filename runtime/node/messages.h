// Control messages to and from the runtime's own types. Private to runtime/node.
#pragma once

#include <string>
#include <vector>

#include "runtime/controller/backend.h"
#include "runtime/controller/stats.h"
#include "runtime/node/control.pb.h"

namespace woa {

// What one node tells the host when a run is over.
struct NodeReport {
  DeviceDescription device;
  ControllerStats stats;
  std::vector<TraceEvent> trace;
  bool counted = true;  // stats and trace were heard
};

control::FromNode to_ready(const DeviceDescription& device);
DeviceDescription from_ready(const control::Device& message);
control::FromNode to_failed(const Status& status);
control::FromNode to_report(const ControllerStats& stats, std::span<const TraceEvent> trace);
// kDataLoss: a stage or edge that the plan does not have. `edges` and `stages` are the plan's numbers of them.
Status from_report(const control::Report& message, std::size_t edges, std::size_t stages, NodeReport& report);

}  // namespace woa
