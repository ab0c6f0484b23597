// The Chrome trace event format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "library/run_report.h"
#include "runtime/base/file.h"

namespace woa {
namespace {

using nlohmann::json;
using FiringKey = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;  // stage, instance, tag

// The bits of a tag that number elements: the firing that scattered or gathers them has 0 there.
constexpr std::uint64_t numbers(std::uint32_t shift, std::uint32_t bits) {
  return ((std::uint64_t{1} << bits) - 1) << shift;
}

struct Writer {
  const Plan& plan;
  const RunReport& report;
  PendingFile file;
  std::string text = {};  // not in the file yet
  Status status = {};     // the first write that failed
  std::uint64_t origin_ns = ~std::uint64_t{0};
  bool first = true;
  std::uint64_t arrows = 0;

  double us(std::uint64_t ns) const { return static_cast<double>(ns - origin_ns) / 1e3; }
  std::uint32_t controller_of(const TraceEvent& firing) const { return plan.stages[firing.stage].controller; }

  void put(const json& event) {
    add((first ? "\n" : ",\n") + event.dump(-1, ' ', false, json::error_handler_t::replace));
    first = false;
  }

  void add(const std::string& more) {
    constexpr std::size_t kEnough = 64 << 10;
    text += more;
    if (text.size() >= kEnough) flush();
  }

  void flush() {
    if (status.ok()) status = file.write(text);
    text.clear();
  }

  // Worker 0 of a cpu controller with several is the thread that drives it.
  [[nodiscard]] bool has_own_thread(std::uint32_t controller, std::uint32_t worker) const {
    return worker == 0 && plan.controllers[controller].kind == ControllerKind::kCpu &&
           report.controllers[controller].device.workers > 1;
  }

  void name_tracks() {
    for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) {
      const DeviceDescription& device = report.controllers[c].device;
      put({{"ph", "M"},
           {"name", "process_name"},
           {"pid", c},
           {"args",
            {{"name", plan.controllers[c].name + " (" + device.backend + (device.simulated ? ", simulated)" : ")")}}}});
      std::uint32_t workers = 1;
      for (const TraceEvent& event : report.controllers[c].trace) workers = std::max(workers, event.worker + 1);
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        put({{"ph", "M"},
             {"name", "thread_name"},
             {"pid", c},
             {"tid", worker},
             {"args", {{"name", has_own_thread(c, worker) ? "controller" : "worker " + std::to_string(worker)}}}});
      }
    }
  }

  void put_firing(const TraceEvent& event) {
    put({{"ph", "X"},
         {"cat", "firing"},
         {"name", plan.stages[event.stage].name},
         {"pid", controller_of(event)},
         {"tid", event.worker},
         {"ts", us(event.begin_ns)},
         {"dur", static_cast<double>(event.end_ns - event.begin_ns) / 1e3},
         {"args", {{"instance", event.instance}, {"tag", event.tag}, {"bytes", event.bytes}}}});
  }

  // Draws an arrow from the end of the firing that wrote the packet to the start of the one that consumed it.
  void put_arrow(const TraceEvent& from, const TraceEvent& to) {
    const json common{{"cat", "packet"}, {"name", "packet"}, {"id", arrows++}};
    json start = common, finish = common;
    start.update({{"ph", "s"}, {"pid", controller_of(from)}, {"tid", from.worker}, {"ts", us(from.end_ns)}});
    finish.update({{"ph", "f"}, {"bp", "e"}, {"pid", controller_of(to)}, {"tid", to.worker}, {"ts", us(to.begin_ns)}});
    put(start);
    put(finish);
  }
};

}  // namespace

std::vector<TracedPacket> traced_packets(const Plan& plan, const RunReport& report) {
  std::map<FiringKey, const TraceEvent*> firings, writers;  // writers: by edge, instance and sent tag
  for (const ControllerReport& controller : report.controllers) {
    for (const TraceEvent& event : controller.trace)
      if (event.kind == TraceEvent::Kind::kFiring) firings[{event.stage, event.instance, event.tag}] = &event;
  }
  for (const auto& [key, firing] : firings) {
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
      const EdgePlan& edge = plan.edges[e];
      if (edge.from_stage == firing->stage)
        writers[{e, firing->instance, (firing->tag & edge.keep) + edge.step}] = firing;
    }
  }
  std::vector<TracedPacket> packets;
  for (const ControllerReport& controller : report.controllers) {
    for (const TraceEvent& event : controller.trace) {
      if (event.kind != TraceEvent::Kind::kReceive) continue;
      const EdgePlan& edge = plan.edges[event.edge];
      const OutputPortPlan& out = plan.stages[edge.from_stage].outputs[edge.from_port];
      const InputPortPlan& in = plan.stages[edge.to_stage].inputs[edge.to_port];
      const std::uint64_t scattered = event.tag & ~numbers(out.index_shift, out.index_bits);
      const std::uint64_t gathered = event.tag & ~numbers(in.index_shift, in.index_bits);
      const auto from = writers.find({event.edge, event.instance, scattered});
      const auto to = firings.find({event.stage, event.instance, gathered});
      if (from != writers.end() && to != firings.end()) packets.push_back({from->second, to->second, event.edge});
    }
  }
  return packets;
}

Status write_trace(const Plan& plan, const RunReport& report, const std::string& path) {
  auto file = PendingFile::open(path);
  if (!file.ok()) return file.status().with_context("the trace");
  Writer writer{plan, report, std::move(*file)};
  for (const ControllerReport& controller : report.controllers) {
    for (const TraceEvent& event : controller.trace) writer.origin_ns = std::min(writer.origin_ns, event.begin_ns);
  }
  writer.add(R"({"displayTimeUnit":"ns","traceEvents":[)");
  writer.name_tracks();
  for (const ControllerReport& controller : report.controllers) {
    for (const TraceEvent& event : controller.trace)
      if (event.kind == TraceEvent::Kind::kFiring) writer.put_firing(event);
  }
  for (const TracedPacket& packet : traced_packets(plan, report)) writer.put_arrow(*packet.from, *packet.to);
  std::uint64_t untraced = 0;
  for (const ControllerReport& controller : report.controllers) untraced += controller.stats.untraced;
  writer.add("\n],\"otherData\":" + json{{"untraced", untraced}}.dump() + "}\n");
  writer.flush();
  if (writer.status.ok()) writer.status = writer.file.commit();
  return writer.status.with_context("the trace");
}

}  // namespace woa
