// Makes control messages of the runtime's own types, and the reverse. Private to runtime/node.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/processor.h"
#include "runtime/controller/stats.h"
#include "runtime/node/control.h"
#include "runtime/node/hosted_controller.h"
#include "runtime/node/segments.h"

namespace woa {

// A node's report to the host when a run is over.
struct NodeReport : control::Ready {
  ControllerStats stats;
  std::vector<TraceEvent> trace;
  std::vector<std::uint64_t> packets;  // Transports::packets()
  ProcessorUse use = {};               // of a process of its own
  bool counted = true;                 // stats and trace arrived
};

control::Ready to_ready(const HostedController& hosted);
control::FromNode to_failed(const Status& status);
// Never ok: a number that is no code of a failure becomes kInternal.
Status from_failed(const control::Failed& message);
// One controller's replicas, as its peers connect to them.
control::Replicas to_replicas(const Layout& layout, const Segments& segments);
// The replicas of `all` that another controller connects to.
control::Replicas select(const control::Replicas& all, const SharedReplicas& shared);
// Connects `segments` to the replicas that a peer described. kDataLoss: a replica that this process lacks; otherwise
// like Wire::connect().
Status connect_replicas(const control::Replicas& peer, const Segments& segments, const Transports& transports,
                        const std::function<bool()>& given_up);
control::FromNode to_report(const ControllerStats& stats, std::span<const TraceEvent> trace,
                            std::span<const std::uint64_t> packets, const ProcessorUse& use);
// kDataLoss: a stage or edge that `plan` does not have, or a wire that the run does not have.
Status from_report(control::Report message, const Plan& plan, std::size_t wires, NodeReport& report);

}  // namespace woa
