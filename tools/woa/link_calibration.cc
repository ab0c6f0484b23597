#include "tools/woa/link_calibration.h"

#include <sched.h>

#include <algorithm>

#include "compiler/compiler.h"

namespace woa::tools {
namespace {

// A graph of one stage, from the host and back to it.
constexpr const char* kThere =
    "woa: 1\ngraph: there-and-back\ninputs: {data: {type: bytes, max: 1MiB}}\n"
    "stages: {there: {kernel: copy, in: {data: data}}}\noutputs: {back: there.data}\n";

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

Result<Plan> plan_on(ControllerKind kind, const RunOptions& options) {
  CompileOptions compile;
  compile.kernel_path = options.kernel_path;
  compile.window = 1;
  compile.pins = {{"there", std::string(to_string(kind)) + ":0"}};
  Compilation compiled = compile_text(kThere, "there-and-back", ".", compile);
  if (!compiled.plan) return Status(Code::kInternal, compiled.diagnostics.front().text);
  return std::move(*compiled.plan);
}

Result<bench::LinkTime> measure_kind(const RunOptions& options, ControllerKind kind, const bench::LinkOptions& chosen) {
  const auto plan = plan_on(kind, options);
  if (!plan.ok()) return plan.status();
  auto time = bench::measure_device(options, *plan, chosen);
  if (time.ok()) return time;
  return time.status().with_context("the link with " + std::string(to_string(kind)));
}

Result<double> measure_wake(const RunOptions& options, const bench::LinkOptions& chosen) {
  const auto plan = plan_on(ControllerKind::kCpu, options);
  if (!plan.ok()) return plan.status();
  return bench::measure_wake_ns(options, *plan, chosen);
}

bench::LinkTime sum(const bench::LinkTime& a, const bench::LinkTime& b) {
  return {a.latency_ns + b.latency_ns, a.ns_per_kib + b.ns_per_kib};
}

// One way is half of a round trip; a device that is cheaper than a cpu counts as equally cheap.
bench::LinkTime dearer_by(const bench::LinkTime& device, const bench::LinkTime& cpu) {
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

std::uint64_t links_launches(const BackendRegistry& backends, const bench::LinkOptions& chosen) {
  return bench::link_launches(chosen) + bench::kWakeLaunches +
         (device_kinds(backends).size() + 1) * bench::kDeviceLaunches;
}

Result<LinksCalibration> calibrate_links(const RunOptions& options, const bench::LinkOptions& chosen) {
  const auto cpu = bench::calibrate_link(options, chosen);
  if (!cpu.ok()) return cpu.status();
  const auto wake = measure_wake(options, chosen);
  if (!wake.ok()) return wake.status();
  LinksCalibration out{std::string(options.transport->name()), cpu->host_state, {}, *wake};
  out.links = {{"host", "cpu", cpu->cpu}, {"cpu", "cpu", cpu->cpu}};
  const auto through_cpu = measure_kind(options, ControllerKind::kCpu, chosen);
  if (!through_cpu.ok()) return through_cpu.status();
  std::vector<std::pair<std::string, bench::LinkTime>> devices;  // time that a copy to or from one adds
  for (const ControllerKind kind : device_kinds(*options.backends)) {
    const auto through = measure_kind(options, kind, chosen);
    if (!through.ok()) return through.status();
    devices.emplace_back(to_string(kind), dearer_by(*through, *through_cpu));
  }
  for (std::size_t a = 0; a < devices.size(); ++a) {
    const auto& [name, extra] = devices[a];
    out.links.push_back({"host", name, sum(cpu->cpu, extra)});
    out.links.push_back({"cpu", name, sum(cpu->cpu, extra)});
    for (std::size_t b = 0; b <= a; ++b)
      out.links.push_back({devices[b].first, name, sum(cpu->cpu, sum(extra, devices[b].second))});
  }
  return out;
}

}  // namespace woa::tools
