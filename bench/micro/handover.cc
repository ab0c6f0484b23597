#include "bench/micro/handover.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "bench/micro/raw_handover.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/driven_run.h"
#include "runtime/measure/plans.h"

namespace woa::bench {
namespace {

constexpr std::uint64_t kWarmUp = 4;                                 // payloads: until every block was used
constexpr std::uint32_t kProducer = 2, kConsumer = 3, kBetween = 1;  // stages and edge of copies(2, ...)

std::uint64_t payloads_of(std::uint64_t size, std::uint64_t count) {
  constexpr std::uint64_t kMostBytes = 512 << 20, kFewest = 9, kMost = 1'000;
  return count != 0 ? count : std::clamp(kMostBytes / size, kFewest, kMost);
}

Result<double> median_ns(const RunReport& report, std::uint64_t payloads) {
  std::map<std::uint64_t, std::uint64_t> written;  // by instance
  for (const TraceEvent& event : report.controllers[1].trace) {
    if (event.kind == TraceEvent::Kind::kFiring && event.stage == kProducer) written[event.instance] = event.end_ns;
  }
  std::vector<std::uint64_t> between;
  for (const TraceEvent& event : report.controllers[2].trace) {
    if (event.kind != TraceEvent::Kind::kFiring || event.stage != kConsumer || event.instance < kWarmUp) continue;
    if (const auto before = written.find(event.instance); before != written.end())
      between.push_back(event.begin_ns - before->second);
  }
  if (between.size() != payloads)
    return {Code::kInternal,
            "the trace has " + std::to_string(between.size()) + " of " + std::to_string(payloads) + " firings"};
  const auto middle = between.begin() + static_cast<std::ptrdiff_t>(between.size() / 2);
  std::nth_element(between.begin(), middle, between.end());
  return static_cast<double>(*middle);
}

Result<double> handover_ns(const RunOptions& options, std::uint64_t size, std::uint64_t payloads) {
  RunOptions placed = options;
  placed.processors = {{}, {0}, {1}};
  placed.idle = IdleOptions{0, std::numeric_limits<std::uint32_t>::max()};  // all poll, and yield to each other
  placed.trace_limit = ~std::uint64_t{0};
  WOA_ASSIGN_OR_RETURN(auto driven, DrivenRun::start(copies(2, size, 1), std::move(placed)));
  const FillInput fill = ones(size);
  if (auto ns = driven.drive(kWarmUp + payloads, fill); !ns.ok()) return ns.status();
  WOA_ASSIGN_OR_RETURN(auto report, driven.finish());
  if (report.edges[kBetween].copied_bytes != 0) return {Code::kInternal, "the payload was copied between the kernels"};
  return median_ns(report, payloads);
}

}  // namespace

Result<Report> bench_handover(const RunOptions& options, const HandoverOptions& chosen) {
  Report report{"handover", std::string(options.transport->name()), Better::kLess};
  HostProbe probe;
  for (const std::uint64_t size : chosen.sizes) {
    const std::uint64_t payloads = payloads_of(size, chosen.count);
    const Contest contest{"ns",
                          chosen.repetitions,
                          "raw flag",
                          {{"raw flag", "limit", size, [&] { return raw_handover_ns(size, payloads); }},
                           {"kernel to kernel", "ours", size, [&] { return handover_ns(options, size, payloads); }}}};
    WOA_RETURN_IF_ERROR(run_contest(contest, probe, report).status());
  }
  return report;
}

}  // namespace woa::bench
