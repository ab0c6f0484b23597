#include "bench/micro/pipeline.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>

#include "bench/harness/contest.h"
#include "bench/micro/driven_run.h"
#include "bench/micro/host_probe.h"
#include "bench/micro/pinned_group.h"
#include "bench/micro/plans.h"
#include "bench/micro/raw_pipeline.h"
#include "runtime/rpc/call_model.h"

namespace woa::bench {
namespace {

constexpr std::uint32_t kWorkers = 3;

std::uint64_t items_of(std::uint64_t size, std::uint64_t count) {
  constexpr std::uint64_t kMostBytes = 256 << 20, kFewest = 40, kMost = 20'000;
  return count != 0 ? count : std::clamp(kMostBytes / size, kFewest, kMost);
}

// Microseconds per item of a run that lives for this launch alone.
Result<double> run_us(const RunOptions& options, std::string_view model, std::uint64_t size, std::uint32_t window,
                      std::uint64_t items) {
  auto plan = rewrite(touches(kWorkers, size, window), model);
  if (!plan.ok()) return plan.status();
  RunOptions placed = options;
  placed.processors = {-1, 1, 0, 1};
  placed.idle = IdleOptions{0, std::numeric_limits<std::uint32_t>::max()};  // all poll, and yield to each other
  auto here = PinnedGroup::start({});                                       // the host, on processor 0
  if (!here.ok()) return here.status();
  bool wrong = false;
  auto driven = DrivenRun::start(std::move(*plan), std::move(placed), [&wrong](const Completion& done) {
    constexpr auto kTouched = std::byte{1 + kWorkers};
    wrong = wrong || done.outputs.empty() || done.outputs[0].front() != kTouched || done.outputs[0].back() != kTouched;
  });
  if (!driven.ok()) return driven.status();
  const std::vector<std::byte> source(size, std::byte{1});
  const FillInput fill = [&source](std::uint32_t, std::span<std::byte> room) {
    std::memcpy(room.data(), source.data(), source.size());
    return Result<std::uint64_t>(source.size());
  };
  auto warm = driven->drive(std::min<std::uint64_t>(items, 4 * (window + 1)), fill);
  if (!warm.ok()) return warm.status();
  auto ns = driven->drive(items, fill);
  if (!ns.ok()) return ns.status();
  WOA_RETURN_IF_ERROR(driven->finish().status());
  if (wrong) return {Code::kDataLoss, "an item came back without the changes of all workers"};
  return static_cast<double>(*ns) / 1e3 / static_cast<double>(items);
}

Result<double> raw_us(const RawPipeline& pipeline, std::uint64_t items) {
  const Result<double> ns = raw_pipeline_ns(pipeline, items);
  if (!ns.ok()) return ns;
  return *ns / 1e3 / static_cast<double>(items);
}

Contest contest_of(const RunOptions& options, const PipelineOptions& chosen, std::uint64_t size, std::uint32_t window) {
  const std::uint64_t items = items_of(size, chosen.count);
  const std::string tail = ", window " + std::to_string(window);
  const auto raw = [&](Route route, Carried carried, const char* name) {
    return Contender{name + tail, "limit", size, [=] { return raw_us({route, carried, size, window}, items); }};
  };
  const auto ours = [&](const char* model) {
    return Contender{model + tail, "ours", size,
                     [&options, model, size, window, items] { return run_us(options, model, size, window, items); }};
  };
  return {"us/item",
          chosen.repetitions,
          "",
          {raw(Route::kForward, Carried::kPayload, "raw forward, payload copied"),
           raw(Route::kForward, Carried::kIndex, "raw forward, index sent"), ours("woa"),
           raw(Route::kHub, Carried::kPayload, "raw hub, payload copied"),
           raw(Route::kHub, Carried::kIndex, "raw hub, index sent"), ours("rpc-hub")}};
}

// Each of ours with the better of the two limits before it.
void compare(std::vector<Row>& rows) {
  for (std::size_t k = 0; k + 2 < rows.size(); k += 3)
    rows[k + 2].ratio_to_limit = rows[k + 2].median() / std::min(rows[k].median(), rows[k + 1].median());
}

}  // namespace

Result<Report> bench_pipeline(const RunOptions& options, const PipelineOptions& chosen) {
  Report report{"pipeline", std::string(options.transport->name()), Better::kLess, "", {}};
  HostProbe probe;
  for (const std::uint64_t size : chosen.sizes) {
    for (const std::uint32_t window : chosen.windows) {
      auto rows = run_contest(contest_of(options, chosen, size, window), [&] { return probe.look(); });
      if (!rows.ok()) return rows.status();
      compare(*rows);
      std::ranges::move(*rows, std::back_inserter(report.rows));
    }
  }
  report.host_state = probe.state();
  return report;
}

}  // namespace woa::bench
