#include "tools/woa/comparison.h"

#include <algorithm>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/processor.h"
#include "runtime/controller/layout.h"
#include "runtime/measure/statistics.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

constexpr std::uint64_t kHeaderBytes = 64, kPageBytes = 4096;

struct Driven {
  std::vector<std::vector<std::uint64_t>> latencies_ns;  // by input; of all but the first round
  std::vector<std::uint64_t> ends_ns;                    // in order
  std::uint64_t completed = 0;
  Status failure;  // the first
};

double median_in_us(const std::vector<std::uint64_t>& ns) {
  return ns.empty() ? 0 : measure::median({ns.begin(), ns.end()}) / 1e3;
}

// Inputs may take different paths; a prediction is their mean.
double mean_of_medians_in_us(std::vector<std::vector<std::uint64_t>>& inputs) {
  double sum = 0;
  for (auto& latencies : inputs) sum += median_in_us(latencies);
  return inputs.empty() ? 0 : sum / static_cast<double>(inputs.size());
}

// The time between two instances while the window is full: without those that fill it, and those that empty it.
double us_between(const std::vector<std::uint64_t>& ends_ns, std::uint64_t window) {
  const std::size_t skipped = std::min<std::size_t>(window, (ends_ns.size() - 1) / 3);
  const std::size_t last = ends_ns.size() - 1 - skipped;
  return static_cast<double>(ends_ns[last] - ends_ns[skipped]) / static_cast<double>(last - skipped) / 1e3;
}

ModelRun run_that_failed(Status status) {
  ModelRun run;
  run.status = std::move(status);
  return run;
}

// By region: memory that the profile's mean payloads touch, in whole pages.
std::vector<std::uint64_t> touched_bytes(const Layout& layout, const CostTable& costs) {
  std::vector<std::uint64_t> bytes(layout.regions.size());
  for (std::size_t e = 0; e < std::min(costs.edges.size(), layout.edges.size()); ++e) {
    const EdgeCosts& edge = costs.edges[e];
    const std::uint64_t mean = edge.tokens == 0 ? 0 : (edge.bytes + edge.tokens - 1) / edge.tokens;
    for (const std::uint16_t r : layout.edges[e].regions) {
      const RegionLayout& region = layout.regions[r];
      const std::uint64_t pages = (region.header_room + mean + kPageBytes - 1) / kPageBytes;
      bytes[r] = std::max(bytes[r], std::min(region.blocks * pages * kPageBytes, region.bytes()));
    }
  }
  return bytes;
}

// The window bounds the instances in flight.
Status drive(Run& run, InputFiles& inputs, std::uint64_t instances, const Driven& driven) {
  std::uint64_t next = 0;
  while (driven.completed < instances && run.status().ok() && driven.failure.ok()) {
    const auto fill = [&inputs, next](std::uint32_t input, std::span<std::byte> room) {
      return inputs.read(input, next, room);
    };
    if (next < instances && run.submit(fill) == Push::kOk)
      ++next;
    else if (run.do_work() == 0)
      run.wait();
  }
  return run.status().ok() ? driven.failure : run.status();
}

}  // namespace

BufferBytes buffer_bytes(const Plan& plan, const Certificate& placed) {
  const Layout layout = make_layout(plan);
  BufferBytes bytes;
  for (const std::uint64_t touched : touched_bytes(layout, placed.costs)) bytes.used += touched;
  for (const RegionLayout& region : layout.regions) bytes.reserved += region.bytes();
  for (const ChannelLayout& channel : layout.channels) {
    const std::uint64_t ring = std::uint64_t{channel.spec.ring_slots} * (kHeaderBytes + channel.spec.inline_bytes);
    bytes.reserved += ring;
    bytes.used += ring;
  }
  return bytes;
}

ModelRun run_model(Plan plan, InputFiles& inputs, RunOptions options, std::uint64_t rounds, bool in_flight) {
  const ForeignOutput foreign;
  ModelRun result;
  if (!in_flight) plan.window = 1;
  plan.timeout_ns = 0;
  const std::uint64_t round = inputs.default_instances(), window = plan.window;
  auto outputs = OutputFiles::open(plan, {}, inputs, round * rounds);
  if (!outputs.ok()) return run_that_failed(outputs.status());
  PinnedThread host;
  const Processors on = options.processors.empty() ? Processors() : options.processors[kHostController];
  Driven driven;
  driven.latencies_ns.resize(round);
  Result<std::unique_ptr<Run>> run(nullptr);
  run = Run::start(std::move(plan), std::move(options), [&](const Completion& done) {
    driven.ends_ns.push_back(now_ns());
    if (driven.completed++ >= round) driven.latencies_ns[done.instance % round].push_back(done.latency_ns);
    if (done.failure != nullptr && driven.failure.ok())
      driven.failure = Status(done.failure->code, done.failure->message).with_context(done.failure->stage);
    outputs->add(**run, done.instance, done.outputs);
  });
  if (!run.ok()) return run_that_failed(run.status());
  if (const Status status = host.pin(on); !status.ok()) return run_that_failed(status);
  result.instances = round * rounds;
  result.status = drive(**run, inputs, result.instances, driven);
  if (!result.status.ok()) return result;
  auto report = (*run)->finish();
  if (!report.ok()) return run_that_failed(report.status());
  for (std::size_t c = 0; c < report->controllers.size(); ++c)
    if (report->controllers[c].device.simulated && report->controllers[c].stats.cycles > 0)
      result.clocked.push_back((*run)->plan().controllers[c].name);
  for (const EdgeStats& edge : report->edges)
    result.messages += edge.messages, result.payload_bytes += edge.payload_bytes;
  result.us = in_flight ? us_between(driven.ends_ns, window) : mean_of_medians_in_us(driven.latencies_ns);
  result.outputs = outputs->finish(true);
  return result;
}

Agreement agreement_of(const Comparison& comparison) {
  Agreement found;
  const ModelRow* first = nullptr;
  for (const ModelRow& row : comparison.models) {
    if (!row.measured || !row.measured->status.ok()) continue;
    ++found.ran;
    if (first == nullptr) first = &row;
    const auto differ = [](const OutputFiles::Summary& a, const OutputFiles::Summary& b) {
      return a.name != b.name || a.bytes != b.bytes || a.absent != b.absent || a.sha256 != b.sha256;
    };
    const auto& expected = first->measured->outputs;
    for (std::size_t k = 0; found.same && k < expected.size(); ++k)
      if (k >= row.measured->outputs.size() || differ(expected[k], row.measured->outputs[k]))
        found = {found.ran, false, expected[k].name, first->model, row.model};
  }
  return found;
}

}  // namespace woa::tools
