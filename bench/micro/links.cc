#include "bench/micro/links.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/harness/contest.h"
#include "bench/harness/statistics.h"
#include "bench/micro/driven_run.h"
#include "bench/micro/host_probe.h"
#include "bench/micro/token_hop.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kSmall = 64, kLarge = 1 << 20;
constexpr double kKibsBetween = static_cast<double>(kLarge - kSmall) / 1024;

std::uint64_t hops_of(std::uint64_t bytes, const LinkOptions& chosen) {
  constexpr std::uint64_t kOfSmall = 20'000, kOfLarge = 256;
  return chosen.count != 0 ? chosen.count : bytes == kSmall ? kOfSmall : kOfLarge;
}

Contender hop(const RunOptions& options, const LinkOptions& chosen, std::uint64_t bytes, bool within) {
  return {within ? "within" : "between", "ours", bytes, [&options, &chosen, bytes, within] {
            if (chosen.launched) chosen.launched();
            return token_hop_ns(options, {bytes, kDefaultInlineBytes, hops_of(bytes, chosen), within});
          }};
}

double median_of(const std::vector<Row>& rows, const char* contender, std::uint64_t bytes) {
  for (const Row& row : rows) {
    if (row.contender == contender && row.size == bytes) return row.median();
  }
  return 0;
}

// Nanoseconds that the kernel ran, by instance.
std::vector<double> kernel_ns(const RunReport& report, std::uint64_t instances) {
  std::vector<double> out(instances, 0);
  for (const ControllerReport& controller : report.controllers) {
    for (const TraceEvent& event : controller.trace) {
      if (event.kind != TraceEvent::Kind::kFiring || event.stage <= kSinkStage || event.instance >= instances) continue;
      out[event.instance] += static_cast<double>(event.end_ns - event.begin_ns);
    }
  }
  return out;
}

Result<double> round_trip_ns(const RunOptions& options, const Plan& plan, std::uint64_t bytes,
                             std::uint64_t instances) {
  constexpr std::uint64_t kWarmUp = 4;
  RunOptions traced = options;
  traced.trace = true;
  std::vector<double> latency(kWarmUp + instances, 0);
  auto driven = DrivenRun::start(plan, std::move(traced), [&](const Completion& done) {
    if (done.instance < latency.size()) latency[done.instance] = static_cast<double>(done.latency_ns);
  });
  if (!driven.ok()) return driven.status();
  const std::vector<std::byte> source(bytes, std::byte{1});
  const FillInput fill = [&source](std::uint32_t, std::span<std::byte> room) {
    std::memcpy(room.data(), source.data(), source.size());
    return Result<std::uint64_t>(source.size());
  };
  for (std::uint64_t k = 0; k < latency.size(); ++k) {
    if (auto ns = driven->drive(1, fill); !ns.ok()) return ns.status();
  }
  const auto report = driven->finish();
  if (!report.ok()) return report.status();
  const std::vector<double> kernel = kernel_ns(*report, latency.size());
  std::vector<double> rest;
  for (std::uint64_t k = kWarmUp; k < latency.size(); ++k) rest.push_back(latency[k] - kernel[k]);
  return median(std::move(rest));
}

}  // namespace

std::uint64_t link_launches(const LinkOptions& chosen) noexcept { return 4 * chosen.repetitions; }

Result<LinkCalibration> calibrate_link(const RunOptions& options, const LinkOptions& chosen) {
  const Contest contest{"ns",
                        chosen.repetitions,
                        "",
                        {hop(options, chosen, kSmall, false), hop(options, chosen, kSmall, true),
                         hop(options, chosen, kLarge, false), hop(options, chosen, kLarge, true)}};
  HostProbe probe;
  const auto rows = run_contest(contest, [&] { return probe.look(); });
  if (!rows.ok()) return rows.status();
  const double small = median_of(*rows, "between", kSmall), large = median_of(*rows, "between", kLarge);
  const double within = median_of(*rows, "within", kLarge) - median_of(*rows, "within", kSmall);
  return LinkCalibration{{small, std::max(0.0, (large - small - within) / kKibsBetween)}, probe.state()};
}

Result<LinkTime> measure_device(const RunOptions& options, const Plan& plan, const LinkOptions& chosen) {
  constexpr std::uint64_t kOfSmall = 200, kOfLarge = 20;
  std::vector<double> ns;
  for (const std::uint64_t bytes : {kSmall, kLarge}) {
    if (chosen.launched) chosen.launched();
    const std::uint64_t usual = bytes == kSmall ? kOfSmall : kOfLarge;
    const auto one = round_trip_ns(options, plan, bytes, chosen.count == 0 ? usual : std::min(usual, chosen.count));
    if (!one.ok()) return one.status();
    ns.push_back(*one);
  }
  return LinkTime{ns[0], std::max(0.0, (ns[1] - ns[0]) / kKibsBetween)};
}

}  // namespace woa::bench
