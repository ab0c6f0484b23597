#include "bench/gpu/gpu_runs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "bench/gpu/own_device.h"
#include "bench/gpu/random_payloads.h"
#include "runtime/base/clock.h"
#include "runtime/call_models/call_model.h"
#include "runtime/measure/driven_run.h"
#include "runtime/measure/pinned_group.h"
#include "runtime/measure/statistics.h"
#include "runtime/memory/by_instance.h"

namespace woa::bench {

using namespace measure;
namespace {

constexpr std::uint32_t kGpu = 1;          // controller
constexpr std::uint32_t kFirstKernel = 2;  // stage, behind source and sink
constexpr std::uint32_t kBlock = 256;
constexpr std::uint64_t kDeadlineNs = 20'000'000'000;  // of a packet that a device lost

StagePlan gpu_stage(const std::string& kernel, std::size_t number, const PortType& type, bool resident) {
  StagePlan stage;
  stage.name = kernel + std::to_string(number);
  stage.kernel = kernel;
  stage.library = "lib" + kernel + ".so";
  stage.variant.kind = "cuda";
  stage.variant.source = kernel + ".cu";
  stage.variant.entry = kernel;
  stage.variant.global = {"bytes"};
  stage.variant.has_size = true;
  stage.variant.block = {kBlock};
  stage.variant.resident = resident;
  stage.controller = kGpu;
  stage.inputs.push_back({"data", type, false, 0});
  stage.outputs.push_back({"data", type, -1});
  stage.publishes = resident ? Publisher::kWorker : Publisher::kQueue;
  return stage;
}

// A run whose packets are filled and checked.
class CheckedRun {
 public:
  static Result<std::unique_ptr<CheckedRun>> start(const RunOptions& options, const GpuRun& run, Plan plan,
                                                   std::uint64_t trace_limit) {
    auto made = std::make_unique<CheckedRun>(run.bytes);
    RunOptions placed = options;
    placed.processors = {{}, {1}};                                            // the host is this process
    placed.idle = IdleOptions{0, std::numeric_limits<std::uint32_t>::max()};  // both poll
    placed.trace_limit = trace_limit;
    if (!run.processes) placed.node_command.clear();
    WOA_ASSIGN_OR_RETURN(auto driven,
                         DrivenRun::start(std::move(plan), std::move(placed),
                                          [self = made.get()](const Completion& done) { self->look(done); }));
    made->driven_.emplace(std::move(driven));
    return made;
  }
  explicit CheckedRun(std::uint64_t bytes) : payloads_(bytes) {}

  Result<std::uint64_t> drive(std::uint64_t count) {
    const auto fill = [this](std::uint32_t, std::span<std::byte> room) -> Result<std::uint64_t> {
      payloads_.fill(filled_, room);
      filled_ns_[filled_++] = now_ns();
      return payloads_.bytes();
    };
    auto ns = driven_->drive(count, fill);
    return wrong_.ok() ? ns : Result<std::uint64_t>(wrong_);
  }
  Result<RunReport> finish() { return driven_->finish(); }
  // By instance, from the filled block to the result.
  [[nodiscard]] const std::vector<double>& whole_us() const noexcept { return whole_us_; }

 private:
  void look(const Completion& done) {
    whole_us_.push_back(static_cast<double>(now_ns() - filled_ns_[done.instance]) / 1e3);
    if (done.failure != nullptr || !wrong_.ok()) return;  // finish() returns failures
    wrong_ = payloads_.check_inverted(done.instance, done.outputs.front().payload);
  }

  RandomPayloads payloads_;
  std::uint64_t filled_ = 0;
  ByInstance<std::uint64_t> filled_ns_{kMaxWindow};
  std::vector<double> whole_us_;
  Status wrong_;
  std::optional<DrivenRun> driven_;  // goes first: it reports to the others
};

// The kernel stages of a plan that were in a row before its rewriting: the first and the last.
std::pair<std::uint32_t, std::uint32_t> ends_of(const Plan& plan) {
  std::pair<std::uint32_t, std::uint32_t> ends{0, 0};
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    if (plan.stages[s].role != StageRole::kKernel) continue;
    if (ends.first == 0) ends.first = s;
    ends.second = s;
  }
  return ends;
}

// From the start of each instance's first kernel to the end of its last one.
Result<double> median_us(const Plan& plan, const RunReport& report, std::uint64_t count) {
  const auto [first, last] = ends_of(plan);
  std::map<std::uint64_t, std::uint64_t> begun, ended;  // by instance
  for (const TraceEvent& event : report.controllers[kGpu].trace) {
    if (event.kind != TraceEvent::Kind::kFiring || event.instance < kWarmUp) continue;
    if (event.stage == first) begun[event.instance] = event.begin_ns;
    if (event.stage == last) ended[event.instance] = event.end_ns;
  }
  if (begun.size() != count || ended.size() != count)
    return {Code::kInternal,
            "the trace has " + std::to_string(ended.size()) + " of " + std::to_string(count) + " firings"};
  std::vector<double> us;
  for (const auto& [instance, end_ns] : ended) us.push_back(static_cast<double>(end_ns - begun[instance]) / 1e3);
  return median(std::move(us));
}

// Copied on edges between kernels, relays of other call models included.
std::uint64_t copied_between(const Plan& plan, const RunReport& report) {
  const auto [first, last] = ends_of(plan);
  std::vector<bool> behind_first(plan.stages.size()), before_last(plan.stages.size());
  behind_first[first] = before_last[last] = true;
  for (std::size_t round = 0; round < plan.edges.size(); ++round) {
    for (const EdgePlan& edge : plan.edges) {
      if (behind_first[edge.from_stage]) behind_first[edge.to_stage] = true;
      if (before_last[edge.to_stage]) before_last[edge.from_stage] = true;
    }
  }
  std::uint64_t bytes = 0;
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (behind_first[plan.edges[e].from_stage] && before_last[plan.edges[e].to_stage])
      bytes += report.edges[e].copied_bytes;
  }
  return bytes;
}

}  // namespace

Plan gpu_chain(const GpuRun& run) {
  const PortType type{"u8", {{"", static_cast<std::uint32_t>(run.bytes), 0}}, run.bytes};
  Plan plan;
  plan.graph = "gpu-chain";
  plan.window = run.window;
  plan.timeout_ns = kDeadlineNs;
  plan.controllers = {make_controller("host", *find_backend("host")), make_controller("gpu:0", *find_backend("cuda"))};
  plan.stages.resize(kFirstKernel);
  plan.stages[kSourceStage].name = "source";
  plan.stages[kSourceStage].role = StageRole::kSource;
  plan.stages[kSourceStage].outputs.push_back({"data", type, -1});
  plan.stages[kSinkStage].name = "sink";
  plan.stages[kSinkStage].role = StageRole::kSink;
  plan.stages[kSinkStage].inputs.push_back({"data", type, false, 0});
  std::uint32_t last = kSourceStage;
  const auto connect = [&](std::uint32_t to) {
    plan.edges.push_back({last, 0, to, 0, 0, 0, -1, 1, run.window});
    last = to;
  };
  for (const std::string& kernel : chain_of(run.stages)) {
    plan.stages.push_back(gpu_stage(kernel, plan.stages.size() - kFirstKernel, type, run.resident));
    connect(static_cast<std::uint32_t>(plan.stages.size() - 1));
  }
  connect(kSinkStage);
  return plan;
}

Result<Figures> run_packet_us(const RunOptions& options, const GpuRun& run) {
  WOA_ASSIGN_OR_RETURN(auto checked, CheckedRun::start(options, run, gpu_chain(run), 0));
  WOA_ASSIGN_OR_RETURN(const auto here, PinnedGroup::start({}, 0));  // now: the driver's threads stay off processor 0
  if (auto warm = checked->drive(kWarmUp); !warm.ok()) return warm.status();
  WOA_ASSIGN_OR_RETURN(const auto ns, checked->drive(run.count));
  WOA_RETURN_IF_ERROR(checked->finish().status());
  return Figures{static_cast<double>(ns) / 1e3 / static_cast<double>(run.count)};
}

Result<Figures> run_pipeline_us(const RunOptions& options, const std::string& model, const GpuRun& run) {
  WOA_ASSIGN_OR_RETURN(const auto plan, rewrite(gpu_chain(run), model));
  WOA_ASSIGN_OR_RETURN(auto checked, CheckedRun::start(options, run, plan, ~std::uint64_t{0}));
  WOA_ASSIGN_OR_RETURN(const auto here, PinnedGroup::start({}, 0));  // now: the driver's threads stay off processor 0
  const std::uint64_t all = kWarmUp + run.count;
  if (auto ns = checked->drive(all); !ns.ok()) return ns.status();
  WOA_ASSIGN_OR_RETURN(const auto report, checked->finish());
  WOA_ASSIGN_OR_RETURN(const auto stages, median_us(plan, report, run.count));
  const std::vector<double>& whole = checked->whole_us();
  return Figures{stages, median({whole.begin() + kWarmUp, whole.end()}),
                 static_cast<double>(copied_between(plan, report)) / static_cast<double>(all)};
}

}  // namespace woa::bench
