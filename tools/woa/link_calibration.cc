#include "tools/woa/link_calibration.h"

#include <sched.h>

#include <algorithm>

#include "compiler/compiler.h"

namespace woa::tools {
namespace {

// A graph of `stages` in a row, from the host and back to it.
std::string there_and_back(std::uint32_t stages) {
  std::string text = "woa: 1\ngraph: there-and-back\ninputs: {data: {type: bytes, max: 1MiB}}\nstages:\n";
  std::string last = "data";
  for (std::uint32_t k = 0; k < stages; ++k) {
    const std::string name = "there" + std::to_string(k);
    text += "  " + name + ": {kernel: copy, in: {data: " + last + "}}\n";
    last = name + ".data";
  }
  return text + "outputs: {back: " + last + "}\n";
}

// Kinds beside cpu that have a device here.
std::vector<ControllerKind> device_kinds(const BackendRegistry& backends) {
  std::vector<ControllerKind> kinds;
  for (const BackendFactory& factory : backends.all()) {
    if (factory.kind == ControllerKind::kCpu || factory.kind == ControllerKind::kHost) continue;
    const auto devices = factory.probe();
    if (devices.ok() && !devices->empty()) kinds.push_back(factory.kind);
  }
  return kinds;
}

Result<Plan> plan_on(ControllerKind kind, const RunOptions& options, std::uint32_t stages = 1) {
  CompileOptions compile;
  compile.kernel_path = options.kernel_path;
  compile.window = 1;
  for (std::uint32_t k = 0; k < stages; ++k)
    compile.pins["there" + std::to_string(k)] = std::string(to_string(kind)) + ":0";
  Compilation compiled = compile_text(there_and_back(stages), "there-and-back", ".", compile);
  if (!compiled.plan) return Status(Code::kInternal, compiled.diagnostics.front().text);
  return std::move(*compiled.plan);
}

Result<measure::LinkTime> measure_kind(const RunOptions& options, ControllerKind kind,
                                       const measure::LinkOptions& chosen) {
  WOA_ASSIGN_OR_RETURN(const auto plan, plan_on(kind, options));
  auto time = measure::measure_device(options, plan, chosen);
  if (time.ok()) return time;
  return time.status().with_context("the link with " + std::string(to_string(kind)));
}

// A device's firing: what each of four stages behind a first one adds. `once`: the time of one alone.
Result<double> measure_firing(const RunOptions& options, ControllerKind kind, const measure::LinkTime& once,
                              const measure::LinkOptions& chosen) {
  constexpr std::uint32_t kMore = 4;
  WOA_ASSIGN_OR_RETURN(const auto plan, plan_on(kind, options, 1 + kMore));
  const auto time = measure::measure_small(options, plan, chosen);
  if (!time.ok()) return time.status().with_context("firings of kind " + std::string(to_string(kind)));
  return std::max(0.0, (*time - once.latency_ns) / kMore);
}

Result<double> measure_wake(const RunOptions& options, const measure::LinkOptions& chosen) {
  WOA_ASSIGN_OR_RETURN(const auto plan, plan_on(ControllerKind::kCpu, options));
  return measure::measure_wake_ns(options, plan, chosen);
}

measure::LinkTime sum(const measure::LinkTime& a, const measure::LinkTime& b) {
  return {a.latency_ns + b.latency_ns, a.ns_per_kib + b.ns_per_kib};
}

// One way is half of a round trip; a device that is cheaper than a cpu counts as equally cheap.
measure::LinkTime dearer_by(const measure::LinkTime& device, const measure::LinkTime& cpu) {
  return {std::max(0.0, device.latency_ns - cpu.latency_ns) / 2, std::max(0.0, device.ns_per_kib - cpu.ns_per_kib) / 2};
}

}  // namespace

CoresCalibration calibrate_cores(const BackendRegistry& backends) {
  CoresCalibration out;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    out.count = static_cast<std::uint32_t>(std::max(CPU_COUNT(&allowed), 1));
  out.kinds.emplace_back("cpu");
  for (const BackendFactory& factory : backends.all()) {
    const auto devices = factory.probe();
    if (factory.kind != ControllerKind::kCpu && devices.ok() && !devices->empty() && devices->front().simulated)
      out.kinds.emplace_back(to_string(factory.kind));
  }
  return out;
}

std::uint64_t links_launches(const BackendRegistry& backends, const measure::LinkOptions& chosen) {
  const std::size_t devices = device_kinds(backends).size();  // each with firings, which take one launch
  return measure::link_launches(chosen) + measure::kWakeLaunches + measure::kDeviceLaunches +
         devices * (measure::kDeviceLaunches + 1);
}

Result<LinksCalibration> calibrate_links(const RunOptions& options, const measure::LinkOptions& chosen) {
  WOA_ASSIGN_OR_RETURN(const auto cpu, measure::calibrate_link(options, chosen));
  WOA_ASSIGN_OR_RETURN(const auto wake, measure_wake(options, chosen));
  LinksCalibration out{std::string(options.transport->name()), cpu.host_state, {}, {}, wake};
  out.links = {{"host", "cpu", cpu.cpu}, {"cpu", "cpu", cpu.cpu}};
  out.controllers = {{"host", 0, cpu.message_ns}, {"cpu", cpu.firing_ns, cpu.message_ns}};
  WOA_ASSIGN_OR_RETURN(const auto through_cpu, measure_kind(options, ControllerKind::kCpu, chosen));
  std::vector<std::pair<std::string, measure::LinkTime>> devices;  // time that a copy to or from one adds
  for (const ControllerKind kind : device_kinds(*options.backends)) {
    WOA_ASSIGN_OR_RETURN(const auto through, measure_kind(options, kind, chosen));
    devices.emplace_back(to_string(kind), dearer_by(through, through_cpu));
    WOA_ASSIGN_OR_RETURN(const auto firing, measure_firing(options, kind, through, chosen));
    out.controllers.push_back({std::string(to_string(kind)), firing, cpu.message_ns});
  }
  for (std::size_t a = 0; a < devices.size(); ++a) {
    const auto& [name, extra] = devices[a];
    out.links.push_back({"host", name, sum(cpu.cpu, extra)});
    out.links.push_back({"cpu", name, sum(cpu.cpu, extra)});
    for (std::size_t b = 0; b <= a; ++b)
      out.links.push_back({devices[b].first, name, sum(cpu.cpu, sum(extra, devices[b].second))});
  }
  return out;
}

}  // namespace woa::tools
