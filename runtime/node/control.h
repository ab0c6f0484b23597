// Messages between the process that started a run and its nodes, with the lists of their fields
// (runtime/plan/message.h). Never on the data path. Any change raises handshake::kVersion.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/processor.h"
#include "runtime/controller/activity.h"
#include "runtime/controller/backend.h"
#include "runtime/controller/stats.h"
#include "runtime/plan/message.h"
#include "runtime/plan/sites.h"
#include "runtime/transport/idle.h"

namespace woa::control {

using message::Enumeration, message::Like, message::up_to, message::Utf8;

struct Replica {
  enum class Kind : std::uint8_t { kChannel = 0, kRegion = 1 };
  Kind kind = Kind::kChannel;
  std::uint32_t index = 0;  // in the layout
  std::string description;  // Segment::description()
  std::uint32_t wire = 0;
};
void fields(auto& f, Like<Replica> auto& m) {
  f(1, "kind", Enumeration{m.kind, up_to<Replica::Kind::kRegion>, "kind"});
  f(2, "index", m.index);
  f(3, "description", m.description);
  f(4, "wire", m.wire);
}

// One controller's replicas, for the controllers that share no memory with it.
struct Replicas {
  std::vector<Replica> replicas;
};
void fields(auto& f, Like<Replicas> auto& m) { f(1, "replicas", m.replicas); }

// The replicas of the others, for the node to connect its own to.
struct Connect {
  std::vector<Replicas> peers;
};
void fields(auto& f, Like<Connect> auto& m) { f(1, "peers", m.peers); }

// The first message. A node on the host's machine gets two descriptors beside it: memory where it says what it runs,
// and the site's memory, if the node is of the host's site. If channels take wires the node answers with its replicas.
struct Hello {
  std::string plan;  // serialize()
  std::uint32_t controller = 0;
  std::vector<std::string> kernel_path;  // none for a node that joined: it has its own
  std::uint64_t trace_limit = 0;         // events that its controller keeps; 0: no trace
  IdleOptions idle = {};
  Processors processors;  // that its loop is pinned to
  std::uint32_t packet_version = 0, kernel_abi = 0;
  // sizes_of_segments() of the node's site: another build may need others for the same plan.
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint32_t> sites;  // Sites::of; none: one site
  BoundLanes lanes;
  std::uint64_t end_ns = 0;     // longest wait of a node for the host after its work
  bool no_payload_crc = false;  // Sites::payload_crc
  std::uint64_t start_ns = 0;   // longest wait of a node that joined for the replicas of the others
};
void fields(auto& f, Like<Hello> auto& m) {
  f(1, "plan", m.plan);
  f(2, "controller", m.controller);
  f(3, "kernel_path", m.kernel_path);
  f(4, "trace_limit", m.trace_limit);
  f(5, "spin_ns", m.idle.spin_ns);
  f(6, "yields", m.idle.yields);
  f(7, "sleep_ns", m.idle.sleep_ns);
  f(17, "long_yield_ns", m.idle.long_yield_ns);
  f(8, "processors", m.processors);
  f(9, "packet_version", m.packet_version);
  f(10, "kernel_abi", m.kernel_abi);
  f(11, "sizes", m.sizes);
  f(12, "sites", m.sites);
  f(13, "lanes", m.lanes);
  f(14, "end_ns", m.end_ns);
  f(15, "no_payload_crc", m.no_payload_crc);
  f(16, "start_ns", m.start_ns);
}

struct Stop {
  std::string why;  // empty: the run is over in order
};
void fields(auto& f, Like<Stop> auto& m) { f(1, "why", m.why); }

// Instead of a hello, to a node that joined: there is no run for it.
struct Refused {
  std::string why;
};
void fields(auto& f, Like<Refused> auto& m) { f(1, "why", m.why); }

using FromHost = std::variant<std::monostate, Hello, Stop, Connect, Refused>;

// A node's word of itself before the run begins.
struct Ready {
  DeviceDescription device;
  Processors processors = {};  // that the node's loop is pinned to
  RegionNumbers staged = {};   // Backend::map()
};
void fields(auto& f, Like<Ready> auto& m) {
  f(1, "backend", Utf8{m.device.backend});
  f(2, "device", Utf8{m.device.device});
  f(3, "simulated", m.device.simulated);
  f(4, "forwards", Utf8{m.device.forwards});
  f(5, "matches", Utf8{m.device.matches});
  f(6, "publishes", Utf8{m.device.publishes});
  f(7, "processors", m.processors);
  f(8, "staged", m.staged);
  f(9, "workers", m.device.workers);
}

struct Failed {
  std::uint32_t code = 0;
  std::string message;
};
void fields(auto& f, Like<Failed> auto& m) {
  f(1, "code", m.code);
  f(2, "message", m.message);
}

struct EdgeReport {
  std::uint32_t edge = 0;
  EdgeStats stats;
};
void fields(auto& f, Like<EdgeReport> auto& m) {
  f(1, "edge", m.edge);
  f(2, "messages", m.stats.messages);
  f(3, "payload_bytes", m.stats.payload_bytes);
  f(4, "copied_bytes", m.stats.copied_bytes);
}

struct StageReport {
  std::uint32_t stage = 0;
  StageStats stats;
};
void fields(auto& f, Like<StageReport> auto& m) {
  f(1, "stage", m.stage);
  f(2, "firings", m.stats.firings);
  f(3, "busy_ns", m.stats.busy_ns);
}

struct Report {
  std::vector<EdgeReport> edges;  // those that carried something
  std::vector<StageReport> stages;
  ControllerStats stats;  // without edges and stages
  std::vector<TraceEvent> trace;
  std::vector<std::uint64_t> packets;  // sent from here, by wire
  ProcessorUse use = {};               // of the node's process
};
void fields(auto& f, Like<Report> auto& m) {
  f(1, "edges", m.edges);
  f(2, "stages", m.stages);
  f(3, "control", m.stats.control);
  f(4, "dropped", m.stats.dropped);
  f(5, "cycles", m.stats.cycles);
  f(6, "trace", m.trace);
  f(7, "packets", m.packets);
  f(8, "untraced", m.stats.untraced);
  f(9, "spins", m.stats.waits.spins);
  f(10, "waited_yields", m.stats.waits.yields);
  f(11, "waited_sleeps", m.stats.waits.sleeps);
  f(12, "crowded", m.stats.waits.crowded);
  f(13, "ran_ns", m.use.ran_ns);
  f(14, "waited_ns", m.use.waited_ns);
  f(15, "workers", m.stats.workers);
}

// From a node on another host: the kernels that it runs for long.
struct Running {
  std::vector<RunningKernel> kernels;
};
void fields(auto& f, Like<Running> auto& m) { f(1, "kernels", m.kernels); }

using FromNode = std::variant<std::monostate, Ready, Failed, Report, Replicas, Running>;

}  // namespace woa::control

namespace woa {

void fields(auto& f, message::Like<TraceEvent> auto& m) {
  f(1, "kind", message::Enumeration{m.kind, message::up_to<TraceEvent::Kind::kWrite>, "kind"});
  f(2, "worker", m.worker);
  f(3, "begin_ns", m.begin_ns);
  f(4, "end_ns", m.end_ns);
  f(5, "stage", m.stage);
  f(6, "edge", m.edge);
  f(7, "instance", m.instance);
  f(8, "tag", m.tag);
  f(9, "bytes", m.bytes);
  f(10, "cycles", m.cycles);
}

void fields(auto& f, message::Like<RunningKernel> auto& m) {
  f(1, "stage", m.stage);
  f(2, "instance", m.instance);
}

}  // namespace woa
