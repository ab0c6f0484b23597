#include "library/run_report.h"

#include <set>
#include <utility>

#include "library/run_limit.h"
#include "runtime/base/processor.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/transfer_method.h"
#include "runtime/plan/index.h"

namespace woa {
namespace {

using nlohmann::json;

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e3; }

json latency_json(const Latencies::Summary& ns) {
  return {{"min", microseconds(ns.min)},
          {"p50", microseconds(ns.p50)},
          {"p99", microseconds(ns.p99)},
          {"max", microseconds(ns.max)}};
}

json controllers_json(const Plan& plan, const RunReport& report, double wall_s) {
  json list = json::array();
  for (std::size_t c = 0; c < plan.controllers.size(); ++c) {
    const ControllerReport& controller = report.controllers[c];
    std::uint64_t firings = 0, busy_ns = 0;
    for (const StageStats& stage : controller.stats.stages) {
      firings += stage.firings;
      busy_ns += stage.busy_ns;
    }
    json entry{{"name", plan.controllers[c].name},
               {"kind", std::string(to_string(plan.controllers[c].kind))},
               {"backend", controller.device.backend},
               {"device", controller.device.device},
               {"simulated", controller.device.simulated},
               {"forwards", std::string(forwards(plan, static_cast<std::uint32_t>(c)))},
               {"matches", controller.device.matches},
               {"firings", firings},
               {"busy_s", static_cast<double>(busy_ns) / 1e9},
               {"workers", controller.device.workers},
               {"lacking_workers", controller.lacking_workers},
               {"share", share_of(controller.device.workers, busy_ns, wall_s)},
               {"dropped", controller.stats.dropped},
               {"waits",
                {{"spins", controller.stats.waits.spins},
                 {"yields", controller.stats.waits.yields},
                 {"sleeps", controller.stats.waits.sleeps},
                 {"crowded", controller.stats.waits.crowded}}},
               {"traced", controller.trace.size()},
               {"untraced", controller.stats.untraced},
               {"counted", controller.counted}};
    if (!controller.processors.empty()) entry["processors"] = controller.processors;
    if (controller.processors.size() == 1) entry["processor"] = controller.processors.front();
    if (controller.stats.cycles > 0) entry["cycles"] = controller.stats.cycles;
    list.push_back(std::move(entry));
  }
  return list;
}

json stages_json(const RunResult& result) {
  const Plan& plan = *result.plan;
  json list = json::array();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.role != StageRole::kKernel) continue;
    const ControllerReport& controller = result.report->controllers[stage.controller];
    const StageStats& stats = controller.stats.stages[s];
    const auto mean_us = [&](std::uint64_t over) {
      return over == 0 ? json(nullptr) : json(microseconds(stats.busy_ns) / static_cast<double>(over));
    };
    list.push_back({{"name", stage.name},
                    {"kernel", stage.kernel},
                    {"variant", stage.variant.kind},
                    {"controller", plan.controllers[stage.controller].name},
                    {"firings", stats.firings},
                    {"busy_s", static_cast<double>(stats.busy_ns) / 1e9},
                    {"mean_us", mean_us(stats.firings)},
                    {"instance_us", mean_us(result.instances)},
                    {"share", share_of(controller.device.workers, stats.busy_ns, result.wall_s)}});
  }
  return list;
}

json memory_json(const RunUse& use) {
  return {{"bytes", use.memory}, {"most_bytes", use.most_memory}, {"held_s", static_cast<double>(use.held_ns) / 1e9}};
}

json limit_json(const RunResult& result) {
  const auto limit = limit_of(*result.plan, *result.report, result.wall_s);
  if (!limit) return nullptr;
  return {{"controller", limit->controller},   {"share", limit->share},    {"stage", limit->stage},
          {"stage_share", limit->stage_share}, {"full", limit->is_full()}, {"text", limit->text()},
          {"cause", to_string(limit->cause)},  {"remedy", limit->remedy}};
}

std::string transport_of(const RunResult& result, const EdgeLayout& edge) {
  if (!edge.crosses()) return "local";
  return edge.wire ? "ofi" : result.transport;
}

// The controllers that copy the edge's payloads by way of memory of their back-end's own.
std::set<std::string> staged_by(const RunResult& result, const Layout& layout, std::uint32_t edge) {
  const Plan& plan = *result.plan;
  std::set<std::string> names;
  for (const std::uint32_t end : {plan.edges[edge].from_stage, plan.edges[edge].to_stage}) {
    const std::uint32_t controller = plan.stages[end].controller;
    if (is_staged(plan, layout, edge, end, result.report->controllers[controller].staged))
      names.insert(plan.controllers[controller].name);
  }
  return names;
}

json edges_json(const RunResult& result) {
  const Plan& plan = *result.plan;
  const Layout layout = make_layout(plan, result.sites);
  json list = json::array();
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    const EdgeStats& stats = result.report->edges[e];
    const EdgeLayout& at = layout.edges[e];
    list.push_back(
        {{"from", writer_of(plan, edge)},
         {"to", reader_of(plan, edge)},
         {"transport", transport_of(result, at)},
         {"lane", edge.lane},
         {"provider", at.wire ? json(result.providers[*at.wire]) : json(nullptr)},
         {"method",
          edge.count ? "count" : std::string(to_string(choose_methods(facts_of(plan, layout, e)).back().method))},
         {"staged", staged_by(result, layout, e)},
         {"messages", stats.messages},
         {"payload_bytes", stats.payload_bytes},
         {"copied_bytes", stats.copied_bytes}});
  }
  return list;
}

// The packets over each provider, as its endpoints counted them.
json providers_json(const RunResult& result) {
  const Layout layout = make_layout(*result.plan, result.sites);
  json list = json::array();
  for (std::uint32_t wire = 0; wire < result.providers.size(); ++wire) {
    std::set<std::string> lanes;
    for (const ChannelLayout& channel : layout.channels) {
      if (channel.wire == wire) lanes.insert(channel.lane);
    }
    list.push_back({{"provider", result.providers[wire]},
                    {"lanes", lanes},
                    {"packets", result.report->packets[wire]},
                    {"payload_crc", result.sites.payload_crc}});
  }
  return list;
}

EdgeStats totals(const RunReport& report) {
  EdgeStats sum;
  for (const EdgeStats& edge : report.edges) sum += edge;
  return sum;
}

json failures_json(const std::vector<FailedInstance>& failures) {
  json list = json::array();
  for (const FailedInstance& entry : failures) {
    json inputs = json::object();
    for (const auto& [name, source] : entry.inputs) inputs[name] = source;
    list.push_back({{"instance", entry.instance},
                    {"inputs", std::move(inputs)},
                    {"stage", entry.failure.stage.empty() ? json(nullptr) : json(entry.failure.stage)},
                    {"code", std::string(to_string(entry.failure.code))},
                    {"message", entry.failure.message}});
  }
  return list;
}

json outputs_json(const std::vector<OutputCount>& outputs) {
  json list = json::array();
  for (const OutputCount& output : outputs)
    list.push_back({{"name", output.name}, {"bytes", output.bytes}, {"absent", output.absent}});
  return list;
}

double throughput(const RunResult& result) {
  return result.wall_s > 0 ? static_cast<double>(result.latencies.count()) / result.wall_s : 0;
}

std::uint64_t control_packets(const RunReport& report) {
  std::uint64_t control = 0;
  for (const ControllerReport& controller : report.controllers) control += controller.stats.control;
  return control;
}

}  // namespace

json error_json(const Status& status) {
  return {{"code", std::string(to_string(status.code()))}, {"message", status.message()}};
}

json to_json(const Latencies& latencies) { return latency_json(latencies.summary()); }

json to_json(const RunResult& result) {
  const Plan& plan = *result.plan;
  json out{{"graph", plan.graph},
           {"model", plan.model},
           {"processes", result.processes},
           {"instances", result.instances},
           {"window", plan.window},
           {"wall_s", result.wall_s},
           {"throughput_per_s", throughput(result)},
           {"latency_us", to_json(result.latencies)}};
  if (!result.status.ok()) out["error"] = error_json(result.status);
  const EdgeStats sum = result.report != nullptr ? totals(*result.report) : EdgeStats{};
  out["messages"] = sum.messages;
  out["control"] = result.report != nullptr ? control_packets(*result.report) : 0;
  out["payload_bytes"] = sum.payload_bytes;
  out["copied_bytes"] = sum.copied_bytes;
  out["controllers"] = result.report != nullptr ? controllers_json(plan, *result.report, result.wall_s) : json::array();
  out["stages"] = result.report != nullptr ? stages_json(result) : json::array();
  out["edges"] = result.report != nullptr ? edges_json(result) : json::array();
  out["providers"] = result.report != nullptr ? providers_json(result) : json::array();
  out["memory"] = result.report != nullptr ? memory_json(result.report->use) : json(nullptr);
  out["limit"] = result.report != nullptr ? limit_json(result) : json(nullptr);
  out["outputs"] = outputs_json(result.outputs);
  out["failed"] = result.failed;
  out["failures"] = failures_json(result.failures);
  return out;
}

}  // namespace woa
