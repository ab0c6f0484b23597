#include "runtime/measure/links.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/measure/contest.h"
#include "runtime/measure/driven_run.h"
#include "runtime/measure/host_probe.h"
#include "runtime/measure/statistics.h"
#include "runtime/measure/token_hop.h"

namespace woa::measure {
namespace {

constexpr std::uint64_t kSmall = 64, kLarge = 1 << 20;
constexpr double kKibsBetween = static_cast<double>(kLarge - kSmall) / 1024;

std::uint64_t hops_of(std::uint64_t bytes, const LinkOptions& chosen) {
  constexpr std::uint64_t kOfSmall = 20'000, kOfLarge = 256;
  return chosen.count != 0 ? chosen.count : bytes == kSmall ? kOfSmall : kOfLarge;
}

Contender hops(const RunOptions& options, const LinkOptions& chosen, const char* name, TokenHop hop) {
  hop.inline_bytes = kDefaultInlineBytes;
  hop.hops = hops_of(hop.bytes, chosen);
  return {name, "ours", hop.bytes, [&options, &chosen, hop] {
            if (chosen.launched) chosen.launched();
            return token_hop_ns(options, hop);
          }};
}

double median_of(const std::vector<Row>& rows, const char* contender, std::uint64_t bytes) {
  for (const Row& row : rows) {
    if (row.contender == contender && row.size == bytes) return row.median();
  }
  return 0;
}

// In nanoseconds: when the source had written and when the last kernel began, and what all kernels and the instance
// took.
struct Timeline {
  double written = 0, begin = 0, kernels = 0, latency = 0;
};

void read_trace(const RunReport& report, std::vector<Timeline>& instances) {
  for (const ControllerReport& controller : report.controllers) {
    for (const TraceEvent& event : controller.trace) {
      if (event.kind != TraceEvent::Kind::kFiring || event.instance >= instances.size()) continue;
      Timeline& times = instances[event.instance];
      if (event.stage == kSourceStage) times.written = static_cast<double>(event.end_ns);
      if (event.stage <= kSinkStage) continue;
      times.begin = static_cast<double>(event.begin_ns);
      times.kernels += static_cast<double>(event.end_ns - event.begin_ns);
    }
  }
}

// Runs one instance after another, each after a pause, except for the first ones, which warm up.
Result<std::vector<Timeline>> run_traced(const RunOptions& options, const Plan& plan, std::uint64_t bytes,
                                         std::uint64_t instances, std::chrono::microseconds pause) {
  constexpr std::uint64_t kWarmUp = 4;
  RunOptions traced = options;
  traced.trace_limit = ~std::uint64_t{0};
  std::vector<Timeline> times(kWarmUp + instances);
  auto driven = DrivenRun::start(plan, std::move(traced), [&](const Completion& done) {
    if (done.instance < times.size()) times[done.instance].latency = static_cast<double>(done.latency_ns);
  });
  if (!driven.ok()) return driven.status();
  const FillInput fill = ones(bytes);
  for (std::uint64_t k = 0; k < times.size(); ++k) {
    if (pause.count() != 0) std::this_thread::sleep_for(pause);
    if (auto ns = driven->drive(1, fill); !ns.ok()) return ns.status();
  }
  const auto report = driven->finish();
  if (!report.ok()) return report.status();
  read_trace(*report, times);
  times.erase(times.begin(), times.begin() + kWarmUp);
  return times;
}

double median_of(const std::vector<Timeline>& instances, double (*what)(const Timeline&)) {
  std::vector<double> ns;
  for (const Timeline& times : instances) ns.push_back(what(times));
  return median(std::move(ns));
}

// The time of an instance less its kernels'.
Result<double> beside_kernels_ns(const RunOptions& options, const Plan& plan, std::uint64_t bytes,
                                 const LinkOptions& chosen) {
  constexpr std::uint64_t kOfSmall = 200, kOfLarge = 20;
  if (chosen.launched) chosen.launched();
  const std::uint64_t usual = bytes == kSmall ? kOfSmall : kOfLarge;
  const std::uint64_t instances = chosen.count == 0 ? usual : std::min(usual, chosen.count);
  const auto ran = run_traced(options, plan, bytes, instances, {});
  if (!ran.ok()) return ran.status();
  return median_of(*ran, [](const Timeline& times) { return times.latency - times.kernels; });
}

}  // namespace

std::uint64_t link_launches(const LinkOptions& chosen) noexcept { return 5 * chosen.repetitions; }

Result<LinkCalibration> calibrate_link(const RunOptions& options, const LinkOptions& chosen) {
  constexpr std::uint32_t kAtOnce = 16;
  const auto contender = [&](const char* name, const TokenHop& hop) { return hops(options, chosen, name, hop); };
  const Contest contest{
      "ns",
      chosen.repetitions,
      "",
      {contender("between", {.bytes = kSmall}), contender("within", {.bytes = kSmall, .within = true}),
       contender("between", {.bytes = kLarge}), contender("within", {.bytes = kLarge, .within = true}),
       contender("many", {.bytes = kSmall, .at_once = kAtOnce})}};
  HostProbe probe;
  const auto rows = run_contest(contest, [&] { return probe.look(); });
  if (!rows.ok()) return rows.status();
  const double small = median_of(*rows, "between", kSmall), large = median_of(*rows, "between", kLarge);
  const double firing = median_of(*rows, "within", kSmall), within = median_of(*rows, "within", kLarge) - firing;
  const double turn = 2 * median_of(*rows, "many", kSmall);  // two controllers share the hops
  return LinkCalibration{{std::max(0.0, small - firing), std::max(0.0, (large - small - within) / kKibsBetween)},
                         firing,
                         std::max(0.0, (turn - firing) / 2),
                         probe.state()};
}

Result<double> measure_small(const RunOptions& options, const Plan& plan, const LinkOptions& chosen) {
  return beside_kernels_ns(options, plan, kSmall, chosen);
}

Result<LinkTime> measure_device(const RunOptions& options, const Plan& plan, const LinkOptions& chosen) {
  const auto small = beside_kernels_ns(options, plan, kSmall, chosen);
  if (!small.ok()) return small.status();
  const auto large = beside_kernels_ns(options, plan, kLarge, chosen);
  if (!large.ok()) return large.status();
  return LinkTime{*small, std::max(0.0, (*large - *small) / kKibsBetween)};
}

Result<double> measure_wake_ns(const RunOptions& options, const Plan& plan, const LinkOptions& chosen) {
  constexpr std::uint64_t kUsual = 200;
  constexpr std::chrono::microseconds kPause{1000};  // many times what a controller waits before it sleeps
  std::vector<double> ns;
  for (const std::chrono::microseconds pause : {kPause, std::chrono::microseconds(0)}) {
    if (chosen.launched) chosen.launched();
    const std::uint64_t instances = chosen.count == 0 ? kUsual : std::min(kUsual, chosen.count);
    const auto ran = run_traced(options, plan, kSmall, instances, pause);
    if (!ran.ok()) return ran.status();
    ns.push_back(median_of(*ran, [](const Timeline& times) { return times.begin - times.written; }));
  }
  return std::max(0.0, ns[0] - ns[1]);
}

}  // namespace woa::measure
