#include "runtime/measure/profile_run.h"

#include <algorithm>
#include <tuple>

#include "runtime/base/clock.h"
#include "runtime/controller/trace_counts.h"
#include "runtime/measure/statistics.h"
#include "runtime/plan/index.h"

namespace woa::measure {
namespace {

constexpr double kClockTick_ns = 100;  // what is longer was interrupted

using FiringName = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;  // stage, instance, tag

// Mean time that a kernel seems to take which does nothing.
double clock_ns() {
  std::vector<double> ns(10'000);
  for (double& each : ns) {
    const std::uint64_t begin = now_ns();
    each = static_cast<double>(now_ns() - begin);
  }
  return measure::robust(ns, kClockTick_ns).mean;
}

// Reads the traces of a run.
class TraceReader {
 public:
  TraceReader(const Plan& plan, std::uint64_t first_instance) : plan_(plan), first_(first_instance) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first_edge;  // by stage and port
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e) {
      const EdgePlan& edge = plan.edges[e];
      const auto port = std::pair{edge.from_stage, edge.from_port};
      counts_.push_back(!edge.count && first_edge.emplace(port, e).second);
    }
    for (const StagePlan& stage : plan.stages) {
      if (stage.role == StageRole::kKernel) out_.stages[stage.name].clock_mhz = stage.variant.clock_mhz;
    }
  }

  void read(const ControllerReport& controller) {
    for (const TraceEvent& event : controller.trace) {
      if (event.instance < first_ || event.kind != TraceEvent::Kind::kWrite) continue;
      // A payload is written once, however many edges it leaves on.
      if (counts_[event.edge]) written_[{event.stage, event.instance, event.tag}] += event.bytes;
    }
    for (const TraceEvent& event : controller.trace) {
      if (event.instance < first_ || event.kind != TraceEvent::Kind::kFiring) continue;
      const auto took_ns = static_cast<double>(event.end_ns - event.begin_ns);
      if (event.stage == kSourceStage) out_.source_ns.push_back(took_ns);
      if (plan_.stages[event.stage].role != StageRole::kKernel) continue;
      MeasuredStage& stage = out_.stages[plan_.stages[event.stage].name];
      stage.device = controller.device;
      stage.firings.push_back({event.bytes, written_[{event.stage, event.instance, event.tag}],
                               clocked(controller) ? std::max(0.0, took_ns - clock_ns_) : took_ns, event.cycles});
    }
  }

  void read_tokens(const RunReport& report) {
    std::vector<std::span<const TraceEvent>> traces;
    for (const ControllerReport& controller : report.controllers) traces.emplace_back(controller.trace);
    const auto tokens = traced_tokens(plan_, traces, first_);
    for (std::size_t e = 0; e < tokens.size(); ++e) {
      if (plan_.edges[e].count) continue;
      MeasuredEdge& edge = out_.edges[ends_of(plan_.edges[e])];  // edges without tokens, too
      for (const TracedToken& token : tokens[e]) {
        edge.bytes.push_back(static_cast<double>(token.bytes));
        if (!token.read) ++edge.unread, edge.unread_bytes += token.bytes;
      }
    }
  }

  MeasuredRun take(std::uint64_t instances) {
    out_.instances = instances;
    return std::move(out_);
  }

 private:
  // True if a thread of the host looks at the clock before and after each kernel; other devices keep their own times.
  static bool clocked(const ControllerReport& controller) { return controller.device.backend == "cpu"; }
  [[nodiscard]] std::pair<std::string, std::string> ends_of(const EdgePlan& edge) const {
    return {writer_of(plan_, edge), reader_of(plan_, edge)};
  }

  const Plan& plan_;
  std::uint64_t first_;
  double clock_ns_ = clock_ns();
  std::vector<bool> counts_;  // by edge: the first of its port
  std::map<FiringName, std::uint64_t> written_;
  MeasuredRun out_;
};

struct Progressed {
  std::uint64_t completed = 0;
  Failure failure;  // that of the first failed instance
};

// Runs so many instances, or those that were submitted before `end_ns`; false if one has failed, or the run.
bool run_round(Run& run, const ReadInput& read, std::uint64_t count, Progressed& state, std::uint64_t end_ns = ~0ULL) {
  std::uint64_t target = state.completed + count;
  for (std::uint64_t next = state.completed; state.completed < target;) {
    if (now_ns() >= end_ns) target = next;
    const auto fill = [&read, next](std::uint32_t input, std::span<std::byte> room) { return read(input, next, room); };
    if (next < target && run.submit(fill) == Push::kOk)
      ++next;
    else if (run.do_work() == 0)
      run.wait();
    if (!run.status().ok() || state.failure.code != Code::kOk) return false;
  }
  return true;
}

}  // namespace

ProfileRun run_for_profile(Plan plan, const ReadInput& read, RunOptions options, const ProfileRunOptions& chosen) {
  if (!chosen.busy) plan.window = 1;  // so that no stage waits for a processor that another stage uses
  plan.timeout_ns = 0;
  options.trace_limit = ~std::uint64_t{0};  // every token counts
  Progressed state;
  auto run = Run::start(std::move(plan), std::move(options), [&](const Completion& done) {
    ++state.completed;
    if (done.failure != nullptr && state.failure.code == Code::kOk) state.failure = *done.failure;
    if (chosen.progress) chosen.progress(state.completed);
  });
  if (!run.ok()) return {std::nullopt, run.status(), {}};
  const std::uint64_t started = now_ns();
  bool going = run_round(**run, read, chosen.inputs, state);  // warms up
  if (going && chosen.busy)
    going = run_round(**run, read, chosen.inputs * chosen.repetitions, state, now_ns() + chosen.limit_ns);
  for (std::uint64_t round = 0; going && !chosen.busy && round < chosen.repetitions; ++round) {
    constexpr std::uint64_t kFewest = 3;  // with fewer, no sample can be told to be an outlier
    if (round >= kFewest && now_ns() - started >= chosen.limit_ns) break;
    going = run_round(**run, read, chosen.inputs, state);
  }
  if (!(*run)->status().ok()) return {std::nullopt, (*run)->status(), {}};
  if (state.failure.code != Code::kOk)
    return {std::nullopt, {state.failure.code, state.failure.message}, state.failure.stage};
  const Plan ran = (*run)->plan();
  auto report = (*run)->finish();
  if (!report.ok()) return {std::nullopt, report.status(), {}};
  TraceReader reader(ran, chosen.inputs);
  for (const ControllerReport& controller : report->controllers) reader.read(controller);
  reader.read_tokens(*report);
  return {reader.take(state.completed - chosen.inputs), {}, {}};
}

}  // namespace woa::measure
