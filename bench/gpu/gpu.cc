#include "bench/gpu/gpu.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "bench/gpu/gpu_runs.h"
#include "bench/gpu/own_launches.h"
#include "bench/gpu/random_payloads.h"
#include "bench/gpu/transfers.h"
#include "controllers/gpu/cuda/devices.h"
#include "runtime/measure/contest.h"
#include "runtime/measure/crossing.h"
#include "runtime/measure/host_probe.h"

namespace woa::bench {
namespace {

constexpr const char* kCalls = "copy, launch, copy, synchronise";
constexpr const char* kZeroCopies = "zero-copy launch, synchronise";
constexpr const char* kReplays = "zero-copy graph, synchronise";
constexpr const char* kByHand = "streams by hand";
constexpr const char* kPinned = "pinned copy";
constexpr const char *kByKernel = "kernel in pinned memory", *kByEngine = "copy engine";
constexpr const char* kSegment = "segment of another process";
constexpr const char *kStages = ", first kernel to last", *kWhole = ", end to end";
constexpr const char *kThere = ", to the GPU", *kBack = ", to the host";
constexpr std::uint32_t kPipelineStages = 3;

// A contender whose launch has several figures.
struct Entrant {
  std::string name, role;
  std::vector<std::string> figures;  // how their rows go on behind the name
  std::function<Result<Figures>()> launch;
};

// One part at one size.
struct Match {
  std::string part;
  std::uint64_t size = 0;
  std::vector<Entrant> entrants = {};
  std::string limit = {};  // the entrant that all but the limits are compared with, figure by figure

  [[nodiscard]] std::string row(const std::string& entrant, const std::string& figure = "") const {
    return part + ": " + entrant + figure;
  }
};

struct Device {
  bool has_graphs = false;
  bool has_time_limit = false;  // of kernels
};

// Launches all in turns.
Result<std::vector<Row>> play(const Match& match, std::uint64_t repetitions, HostProbe& probe) {
  std::vector<Row> rows;
  std::map<std::string, double> limits;  // by figure
  for (const Entrant& entrant : match.entrants)
    for (const std::string& figure : entrant.figures)
      rows.push_back({match.row(entrant.name, figure), entrant.role, match.size, "us", {}, 0});
  for (std::uint64_t r = 0; r < repetitions; ++r) {
    auto row = rows.begin();
    for (const Entrant& entrant : match.entrants) {
      const auto figures = entrant.launch();
      if (!figures.ok())
        return figures.status().with_context(match.row(entrant.name) + ", " + std::to_string(match.size) + " bytes");
      for (std::size_t f = 0; f < entrant.figures.size(); ++f) (row++)->samples.push_back((*figures)[f]);
    }
    WOA_RETURN_IF_ERROR(probe.look());
  }
  auto row = rows.begin();
  for (const Entrant& entrant : match.entrants) {
    for (const std::string& figure : entrant.figures) {
      if (entrant.name == match.limit) limits[figure] = row->median();
      if (entrant.role != "limit") row->ratio_to_limit = row->median() / limits[figure];
      ++row;
    }
  }
  return rows;
}

std::string ours(bool resident, std::uint32_t window, bool processes) {
  return std::string("woa ") + (resident ? "resident" : "stream") + ", window " + std::to_string(window) +
         (processes ? ", processes" : ", threads");
}

constexpr std::uint32_t kFewWindow = 1, kFullWindow = 4;  // of the ratios

class GpuBench {
 public:
  GpuBench(const RunOptions& options, const GpuOptions& chosen, Device device, Report& report)
      : options_(options), chosen_(chosen), device_(device), report_(report) {}

  // The packets or bytes that a launch of one size moves, unless the user says how many.
  [[nodiscard]] std::uint64_t count_of(std::uint64_t bytes, std::uint64_t size, std::uint64_t fewest,
                                       std::uint64_t most) const {
    return chosen_.count != 0 ? chosen_.count : std::clamp(bytes / size, fewest, most);
  }
  [[nodiscard]] std::vector<std::uint64_t> sizes(std::vector<std::uint64_t> usual) const {
    return chosen_.sizes.empty() ? std::move(usual) : chosen_.sizes;
  }

  Status packet(const std::string& part, std::uint32_t stages);
  Status bandwidth();
  Status pipeline();
  Status in_place();

 private:
  Status add_rows(const Match& match, const std::vector<std::pair<std::string, std::string>>& ratios);
  void add_ours(Match& match, const GpuRun& run) const;

  const RunOptions& options_;
  const GpuOptions& chosen_;
  const Device device_;
  Report& report_;
  HostProbe probe_;
};

// `ratios`: pairs of rows.
Status GpuBench::add_rows(const Match& match, const std::vector<std::pair<std::string, std::string>>& ratios) {
  WOA_ASSIGN_OR_RETURN(auto rows, play(match, chosen_.repetitions, probe_));
  report_.host_state = probe_.state();
  for (const auto& [of, to] : ratios) add_ratio(report_, rows, of, to);
  std::ranges::move(rows, std::back_inserter(report_.rows));
  return {};
}

// A run of threads wakes the driver, which its own process does.
void GpuBench::add_ours(Match& match, const GpuRun& run) const {
  match.entrants.push_back({ours(run.resident, run.window, run.processes), "ours", {""}, [this, run] {
                              const auto launch = [&] { return run_packet_us(options_, run); };
                              return run.processes ? launch() : in_own_process(launch);
                            }});
}

Status GpuBench::packet(const std::string& part, std::uint32_t stages) {
  for (const std::uint64_t size : sizes({64})) {
    const std::uint64_t count = count_of(256 << 20, size, 50, 10'000);
    Match match{part, size, {}, kZeroCopies};
    const auto by_hand = [&](OwnWay way, const char* name, const char* role) {
      const OwnJob job{stages, size, count, options_.kernel_path};
      match.entrants.push_back(
          {name, role, {""}, [=] { return in_own_process([&] { return own_packet_us(way, job); }); }});
    };
    by_hand(OwnWay::kZeroCopy, kZeroCopies, "limit");
    by_hand(OwnWay::kCopies, kCalls, "peer");
    if (device_.has_graphs) by_hand(OwnWay::kGraph, kReplays, "peer");
    for (const bool resident : {false, true}) {
      if (resident && device_.has_time_limit) continue;
      for (const bool processes : {false, true})
        for (const std::uint32_t window : chosen_.windows)
          add_ours(match, {stages, size, count, window, resident, processes});
    }
    std::vector<std::pair<std::string, std::string>> ratios;
    for (const bool processes : {false, true}) {
      ratios.emplace_back(match.row(ours(true, kFewWindow, processes)), match.row(kCalls));
      ratios.emplace_back(match.row(ours(true, kFewWindow, processes)), match.row(kZeroCopies));
      ratios.emplace_back(match.row(ours(false, kFullWindow, processes)), match.row(kZeroCopies));
    }
    WOA_RETURN_IF_ERROR(add_rows(match, ratios));
  }
  return {};
}

Result<Figures> launch_of_segments(SharedMemory& transport, std::uint64_t size, std::uint64_t count) {
  const auto from = transport.allocate("read by the GPU", size), to = transport.allocate("written by the GPU", size);
  if (!from.ok() || !to.ok()) return (from.ok() ? to : from).status();
  const RandomPayloads payloads(size);
  for (const auto& segment : {*from, *to}) {  // this process's pages
    WOA_ASSIGN_OR_RETURN(const auto memory, segment->map(Access::kReadWrite));
    payloads.fill(segment == *from ? 0 : 1, memory->bytes());
  }
  return in_own_process([&] { return segment_transfer_us(**from, **to, payloads, count); });
}

Status GpuBench::bandwidth() {
  constexpr std::uint64_t kMiB = 1 << 20;
  for (const std::uint64_t size : sizes({kMiB, 16 * kMiB, 64 * kMiB, 256 * kMiB})) {
    const std::uint64_t count = count_of(1024 * kMiB, size, 4, 200);
    const std::vector<std::string> figures{kThere, kBack};
    const Match match{
        "bandwidth",
        size,
        {{kPinned, "limit", figures, [=] { return in_own_process([=] { return pinned_transfer_us(size, count); }); }},
         {kSegment, "ours", figures, [=, this] { return launch_of_segments(*options_.transport, size, count); }}},
        kPinned};
    WOA_RETURN_IF_ERROR(add_rows(match, {{match.row(kPinned, kThere), match.row(kSegment, kThere)},
                                         {match.row(kPinned, kBack), match.row(kSegment, kBack)}}));
  }
  return {};
}

Status GpuBench::pipeline() {
  constexpr std::uint64_t kKiB = 1 << 10, kMiB = 1 << 20;
  for (const std::uint64_t size : sizes({kKiB, 32 * kKiB, kMiB, 16 * kMiB, 64 * kMiB, 256 * kMiB})) {
    const std::uint64_t count = count_of(512 * kMiB, size, 5, 1'000);
    const std::vector<std::string> figures{kStages, kWhole};
    const OwnJob job{kPipelineStages, size, count, options_.kernel_path};
    Match match{"pipeline",
                size,
                {{kByHand, "limit", figures, [=] { return in_own_process([&] { return own_pipeline_us(job); }); }}},
                kByHand};
    std::map<std::string, std::uint64_t> copied;  // bytes between the stages, by call model
    for (const std::string model : {"woa", "rpc-fused", "rpc-hub"}) {
      match.entrants.push_back({model, "ours", figures, [=, this, &copied] {
                                  const GpuRun run{kPipelineStages, size, count, 1, false, true};
                                  auto launched = run_pipeline_us(options_, model, run);
                                  if (launched.ok()) copied[model] = static_cast<std::uint64_t>(launched->back());
                                  return launched;
                                }});
    }
    WOA_RETURN_IF_ERROR(add_rows(match, {{match.row("rpc-hub", kStages), match.row("woa", kStages)},
                                         {match.row("rpc-hub", kWhole), match.row("woa", kWhole)},
                                         {match.row("woa", kStages), match.row(kByHand, kStages)},
                                         {match.row("woa", kWhole), match.row(kByHand, kWhole)}}));
    for (const auto& [model, bytes] : copied)
      report_.tallies.push_back({match.row(model, ", bytes copied between stages at " + std::to_string(size)), bytes,
                                 2 * (kPipelineStages - 1) * size});
  }
  return {};
}

// The figure that kMostInPlace of the back-end's queues stands for.
Status GpuBench::in_place() {
  const std::vector<std::string> figures{kThere, kBack};
  std::map<std::string, std::vector<TwoWaysRepeated>> by_size;
  std::string part = "in-place";
  for (std::uint64_t size : sizes({1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10,
                                   256 << 10, 512 << 10, 1 << 20})) {
    const OwnJob job{1, size, count_of(64 << 20, size, 50, 1'000), options_.kernel_path};
    const auto by = [&](Mover mover) {
      return [mover, job] { return in_own_process([&] { return moved_us(mover, job); }); };
    };
    const Match match{
        part,
        size,
        {{kByEngine, "limit", figures, by(Mover::kCopyEngine)}, {kByKernel, "peer", figures, by(Mover::kKernel)}},
        kByEngine};
    WOA_RETURN_IF_ERROR(add_rows(match, {}));
    const std::span<const Row> rows = std::span(report_.rows).last(2 * figures.size());
    for (std::size_t f = 0; f < figures.size(); ++f)
      by_size[figures[f]].push_back({size, rows[figures.size() + f].samples, rows[f].samples});
  }
  for (auto& [figure, ways] : by_size) {
    std::ranges::sort(ways, {}, &TwoWaysRepeated::size);
    report_.tallies.push_back(
        {part + ": bytes up to which the kernel is quicker" + figure, steady_crossing(ways), ways.back().size});
  }
  return {};
}

// Asks a child process: this one never wakes the driver.
Result<Device> look_at_device() {
  const Result<cuda::Library>& cuda = open_cuda();
  if (!cuda.ok()) return cuda.status();
  const auto look = [&]() -> Result<Figures> {
    WOA_ASSIGN_OR_RETURN(const auto devices, list_cuda_devices(*cuda));
    return Figures{devices.front().has_time_limit ? 1.0 : 0.0};
  };
  WOA_ASSIGN_OR_RETURN(const auto limited, in_own_process(look));
  return Device{has_graphs(*cuda), limited.front() != 0};
}

}  // namespace

Result<Report> bench_gpu(const RunOptions& options, const GpuOptions& chosen) {
  const auto& devices = probe_cuda_devices();
  if (!devices.ok()) return devices.status().with_context("no CUDA device");
  WOA_ASSIGN_OR_RETURN(const auto device, look_at_device());
  const DeviceDescription& first = devices->front();
  Report report{"gpu", first.device + (first.simulated ? " (simulated)" : ""), Better::kLess};
  report.size_name = "SIZE";
  if (!device.has_graphs) report.absent.push_back({kReplays, kWhyNoGraphs});
  if (device.has_time_limit)
    report.absent.push_back({"woa resident", "the device limits how long a kernel runs: a display is attached"});
  GpuBench bench(options, chosen, device, report);
  for (const std::string& part : chosen.parts) {
    if (part == "packet") WOA_RETURN_IF_ERROR(bench.packet(part, 1));
    if (part == "stages") WOA_RETURN_IF_ERROR(bench.packet(part, 2));
    if (part == "bandwidth") WOA_RETURN_IF_ERROR(bench.bandwidth());
    if (part == "pipeline") WOA_RETURN_IF_ERROR(bench.pipeline());
    if (part == "in-place") WOA_RETURN_IF_ERROR(bench.in_place());
  }
  return report;
}

}  // namespace woa::bench
