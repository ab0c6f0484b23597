#include "tools/woa/run_result.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "runtime/base/processor.h"
#include "runtime/base/text.h"
#include "runtime/controller/layout.h"
#include "runtime/controller/transfer_method.h"
#include "runtime/plan/index.h"
#include "tools/woa/failure.h"
#include "tools/woa/quantities.h"

namespace woa::tools {
namespace {

using nlohmann::json;

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e3; }

json latency_json(const bench::Latencies::Summary& ns) {
  return {{"min", microseconds(ns.min)},
          {"p50", microseconds(ns.p50)},
          {"p99", microseconds(ns.p99)},
          {"max", microseconds(ns.max)}};
}

json controllers_json(const Plan& plan, const RunReport& report) {
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
               {"dropped", controller.stats.dropped},
               {"untraced", controller.stats.untraced},
               {"counted", controller.counted}};
    if (controller.processor != kNoProcessor) entry["processor"] = controller.processor;
    if (controller.stats.cycles > 0) entry["cycles"] = controller.stats.cycles;
    list.push_back(std::move(entry));
  }
  return list;
}

json stages_json(const Plan& plan, const RunReport& report) {
  json list = json::array();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.role != StageRole::kKernel) continue;
    const StageStats& stats = report.controllers[stage.controller].stats.stages[s];
    list.push_back(
        {{"name", stage.name},
         {"kernel", stage.kernel},
         {"variant", stage.variant.kind},
         {"controller", plan.controllers[stage.controller].name},
         {"firings", stats.firings},
         {"busy_s", static_cast<double>(stats.busy_ns) / 1e9},
         {"mean_us", stats.firings == 0 ? json(nullptr)
                                        : json(microseconds(stats.busy_ns) / static_cast<double>(stats.firings))}});
  }
  return list;
}

std::string transport_of(const RunResult& result, const EdgeLayout& edge) {
  if (!edge.crosses()) return "local";
  return edge.wire ? "ofi" : result.transport;
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

EdgeStats totals(const RunReport& report) {
  EdgeStats sum;
  for (const EdgeStats& edge : report.edges) {
    sum.messages += edge.messages;
    sum.payload_bytes += edge.payload_bytes;
    sum.copied_bytes += edge.copied_bytes;
  }
  return sum;
}

double throughput(const RunResult& result) {
  return result.wall_s > 0 ? static_cast<double>(result.done) / result.wall_s : 0;
}

std::uint64_t control_packets(const RunReport& report) {
  std::uint64_t control = 0;
  for (const ControllerReport& controller : report.controllers) control += controller.stats.control;
  return control;
}

json outputs_json(const std::vector<OutputFiles::Summary>& outputs) {
  json list = json::array();
  for (const OutputFiles::Summary& output : outputs) {
    list.push_back({{"name", output.name},
                    {"bytes", output.bytes},
                    {"absent", output.absent},
                    {"files", output.files},
                    {"sha256", output.sha256.empty() ? json(nullptr) : json(output.sha256)}});
  }
  return list;
}

void print_counts(const RunResult& result) {
  const Plan& plan = *result.plan;
  const EdgeStats sum = totals(*result.report);
  const bench::Latencies::Summary latency = result.latencies.summary();
  std::printf("%s: %llu of %s done (%s, %s, window %u)\n", plan.graph.c_str(),
              static_cast<unsigned long long>(result.done), counted(result.instances, "instance").c_str(),
              plan.model.c_str(), result.processes.c_str(), plan.window);
  if (result.latencies.count() > 0)
    std::printf("  %.2f instances/s, latency p50 %s, p99 %s\n", throughput(result),
                us_of(microseconds(latency.p50)).c_str(), us_of(microseconds(latency.p99)).c_str());
  std::printf("  %s, %s, %s copied\n", counted(sum.messages, "message").c_str(),
              counted(sum.payload_bytes, "payload byte").c_str(), counted(sum.copied_bytes, "byte").c_str());
}

void print_devices(const Plan& plan, const RunReport& report) {
  for (std::size_t c = 1; c < plan.controllers.size(); ++c) {
    const DeviceDescription& device = report.controllers[c].device;
    const int processor = report.controllers[c].processor;
    std::printf("  %-8s %-10s %s%s%s\n", plan.controllers[c].name.c_str(), device.backend.c_str(),
                device.device.c_str(), device.simulated ? " (simulated)" : "",
                processor == kNoProcessor ? "" : (", on processor " + std::to_string(processor)).c_str());
  }
}

void print_uncounted(const Plan& plan, const RunReport& report) {
  for (std::size_t c = 1; c < plan.controllers.size(); ++c)
    if (!report.controllers[c].counted)
      std::fprintf(stderr,
                   "woa: %s did not report before --end-limit, so its counts are missing: it is inside a kernel of a "
                   "failed instance, or its process is stopped\n",
                   plan.controllers[c].name.c_str());
}

void print_untraced(const Plan& plan, const RunReport& report) {
  for (std::size_t c = 0; c < plan.controllers.size(); ++c)
    if (const std::uint64_t untraced = report.controllers[c].stats.untraced; untraced > 0)
      print_warning("the trace has the first " + counted(report.controllers[c].trace.size(), "event") + " of " +
                    plan.controllers[c].name + ", not the " + std::to_string(untraced) +
                    " after them; raise --trace-limit, or run fewer instances");
}

// "12.3 us", "4.56 ms".
std::string mean_text(double us) {
  std::array<char, 32> text{};
  const bool ms = us >= 1000;
  const double shown = ms ? us / 1000 : us;
  const int decimals = shown < 10 ? 2 : shown < 100 ? 1 : 0;
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, shown, ms ? "ms" : "us");
  return text.data();
}

// A line for each stage: where an instance's time goes.
void print_stages(const Plan& plan, const RunReport& report) {
  const json stages = stages_json(plan, report);
  std::size_t width = 0;
  for (const json& stage : stages) width = std::max(width, stage["name"].get_ref<const std::string&>().size());
  for (const json& stage : stages) {
    const std::string mean = stage["mean_us"].is_null() ? "never fired" : mean_text(stage["mean_us"]) + " a firing";
    std::printf("  stage %-*s  %-8s %8llu x  %-18s %.3f s busy\n", static_cast<int>(width),
                stage["name"].get_ref<const std::string&>().c_str(),
                stage["controller"].get_ref<const std::string&>().c_str(),
                static_cast<unsigned long long>(stage["firings"].get<std::uint64_t>()), mean.c_str(),
                stage["busy_s"].get<double>());
  }
}

void print_providers(const RunResult& result) {
  for (const json& entry : providers_json(result)) {
    std::string lanes;
    for (const json& lane : entry["lanes"])
      lanes += (lanes.empty() ? "" : ", ") + (lane == "" ? "the one without a name" : lane.get<std::string>());
    std::printf("  over %s: %s (lanes: %s)%s\n", entry["provider"].get<std::string>().c_str(),
                counted(entry["packets"].get<std::uint64_t>(), "packet").c_str(), lanes.c_str(),
                entry["payload_crc"] ? "" : ", payloads without CRC");
  }
}

void print_outputs(const std::vector<OutputFiles::Summary>& outputs) {
  for (const OutputFiles::Summary& output : outputs) {
    std::printf("  output %s: %s, sha256 %s\n", output.name.c_str(), counted(output.bytes, "byte").c_str(),
                output.sha256.empty() ? "not computed: built without OpenSSL" : output.sha256.c_str());
    if (output.absent > 0) std::printf("    absent in %s\n", counted(output.absent, "instance").c_str());
  }
}

}  // namespace

json to_json(const RunResult& result) {
  const Plan& plan = *result.plan;
  json out{{"graph", plan.graph},
           {"model", plan.model},
           {"processes", result.processes},
           {"instances", result.instances},
           {"window", plan.window},
           {"wall_s", result.wall_s},
           {"throughput_per_s", throughput(result)},
           {"latency_us", latency_json(result.latencies.summary())},
           {"turnaround_us", latency_json(result.turnarounds.summary())},
           {"outputs", outputs_json(result.outputs)},
           {"failures", failures_json(result.failures)}};
  if (!result.status.ok()) out["error"] = error_json(result.status);
  const EdgeStats sum = result.report ? totals(*result.report) : EdgeStats{};
  out["messages"] = sum.messages;
  out["control"] = result.report ? control_packets(*result.report) : 0;
  out["payload_bytes"] = sum.payload_bytes;
  out["copied_bytes"] = sum.copied_bytes;
  out["controllers"] = result.report ? controllers_json(plan, *result.report) : json::array();
  out["stages"] = result.report ? stages_json(plan, *result.report) : json::array();
  out["edges"] = result.report ? edges_json(result) : json::array();
  out["providers"] = result.report ? providers_json(result) : json::array();
  return out;
}

void print(const RunResult& result, bool summary) {
  std::vector<FailedInstance> own = result.failures;  // the failure that ended the run is printed once
  const std::size_t lost = std::erase_if(own, [&](const FailedInstance& failed) {
    return !result.status.ok() && failed.failure.message == result.status.message();
  });
  print_failures(own);
  const std::string all = lost == 0 ? "" : "; " + counted(lost, "instance") + " in flight failed with it";
  if (!result.status.ok()) print_error({result.status.code(), result.status.message() + all});
  if (result.report) print_uncounted(*result.plan, *result.report), print_untraced(*result.plan, *result.report);
  if (!summary || !result.report) return;
  print_counts(result);
  print_providers(result);
  print_devices(*result.plan, *result.report);
  print_stages(*result.plan, *result.report);
  print_outputs(result.outputs);
}

}  // namespace woa::tools
