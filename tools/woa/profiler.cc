// Runs a graph with its stages on one kind of controller after the other.
#include "tools/woa/profiler.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "compiler/compiler.h"
#include "library/machine_choice.h"
#include "runtime/base/file.h"
#include "runtime/base/processor.h"
#include "runtime/measure/host_probe.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/process.h"
#include "tools/woa/progress.h"
#include "tools/woa/run_files.h"

namespace woa::tools {
namespace {

constexpr std::uint64_t kInstancesPerWorker = 8;  // so that few of them begin or end while workers have nothing to do

using Pins = std::map<std::string, std::string>;

// All stages of a kind run on its first controller: they take turns anyway.
std::string controller_of(ControllerKind kind) { return std::string(to_string(kind)) + ":0"; }

// The kinds without a controller here, each with the reason of its default back-end, which the registry has first.
std::map<ControllerKind, std::string> absent_kinds(const BackendRegistry& backends) {
  std::set<ControllerKind> here;
  std::map<ControllerKind, std::string> absent;
  for (const BackendFactory& factory : backends.all()) {
    const auto devices = factory.probe();
    if (devices.ok() && !devices->empty())
      here.insert(factory.kind);
    else
      absent.try_emplace(factory.kind, devices.ok() ? "there is no such device here" : devices.status().message());
  }
  for (const ControllerKind kind : kKernelKinds) absent.try_emplace(kind, "this build has no back-end for it");
  for (const ControllerKind kind : here) absent.erase(kind);
  return absent;
}

// Runs assignments of stages to kinds, and collects the measurements.
class Profiler {
 public:
  Profiler(const ProfileRequest& request, const BackendRegistry& backends)
      : request_(request), backends_(backends), absent_(absent_kinds(backends)) {}

  // Returns the exit code; the profile is complete if it is kDone.
  int run() {
    Loaded graph = compile({});
    if (!graph.plan) return graph.exit_code;
    facts_ = graph.facts;
    if (facts_.hash.empty()) {
      return fail(
          {Code::kInvalid, "a compiled plan has its stages in their places: give the graph that it was made of"},
          kUsage, request_.graph.json);
    }
    profile_.graph = graph.plan->graph;
    profile_.hash = facts_.hash;
    profile_.processor = processor_name();
    profile_.repetitions = request_.repetitions;
    auto inputs = InputFiles::open(*graph.plan, request_.in);
    if (!inputs.ok())
      return fail(inputs.status(), inputs.status().code() == Code::kInvalid ? kUsage : kFailed, request_.graph.json);
    inputs_ = std::move(*inputs);
    for (const std::string& warning : inputs_->warnings()) print_warning(warning);
    if (const Status kept = check_kept(request_.graph.written_files, inputs_->files()); !kept.ok())
      return fail(kept, kUsage, request_.graph.json);
    profile_.inputs = inputs_->default_instances();
    look();
    if (const int code = measure_base(); code != kDone) return code;
    if (const int code = measure_busy(); code != kDone) return code;
    for (const ControllerKind kind : kKernelKinds) measure_kind(kind);
    look();
    profile_.host_state = probe_.state();
    return kDone;
  }

  [[nodiscard]] GraphProfile take() { return std::move(profile_); }

 private:
  // Probes what a virtual machine's host does with our processors; the profile says if that is unknown.
  void look() { (void)probe_.look(); }

  Loaded compile(const Pins& pins, std::optional<std::uint32_t> window = 1) {
    GraphOptions options = request_.graph;
    options.transport = transport_of(request_.local.processes);
    options.pins = pins;
    options.any_machine = true;
    options.window = window;
    for (const auto& [stage, kinds] : facts_.kinds) options.replicas[stage] = 1;  // replicas are alike
    options.json = options.json && pins.empty();                                  // one object at most
    Loaded loaded = load(options);
    if (loaded.plan)
      for (EdgePlan& edge : loaded.plan->edges) edge.on_card = false;  // each stage is measured by itself
    return loaded;
  }

  measure::ProfileRun measured(const Plan& plan, bool busy = false) {
    limit_threads_of_kernels(request_.local, plan);
    RunOptions options = local_run(request_.local, backends_);
    const std::unique_ptr<SharedMemory> transport = local_transport(request_.local);
    options.transport = transport.get();
    measure::ProfileRunOptions chosen{profile_.inputs, request_.repetitions, busy, request_.seconds * 1'000'000'000};
    if (busy)
      chosen.repetitions = std::max(chosen.repetitions, kInstancesPerWorker * usable_processors() / chosen.inputs);
    Progress progress(chosen.inputs * (chosen.repetitions + 1), "instances");
    chosen.progress = [&](std::uint64_t done) { progress.update(done); };
    const auto read = [this](std::uint32_t input, std::uint64_t instance, std::span<std::byte> room) {
      return inputs_->read(input, instance, room);
    };
    const ForeignOutput foreign;
    return measure::run_for_profile(plan, read, std::move(options), chosen);
  }

  // Runs every stage on the first kind that it can run on here. The run gives firings and tokens, which are the same on
  // all kinds.
  int measure_base() {
    for (const auto& [stage, kinds] : facts_.kinds) {
      const auto found = std::ranges::find_if(kinds, [&](ControllerKind kind) { return !absent_.contains(kind); });
      if (found == kinds.end()) {
        const std::string why = kinds.empty() ? "its kernel has no variant" : absent_.at(kinds.front());
        return fail({Code::kUnavailable, "stage '" + stage + "' cannot run here: " + why}, kUnavailable,
                    request_.graph.json);
      }
      base_[stage] = *found;
    }
    Loaded placed = compile(pins_with({}, ControllerKind::kCpu));
    if (!placed.plan) {
      return fail({Code::kInvalid, "the graph does not compile with its stages where they can run here"}, kFailed,
                  request_.graph.json);
    }
    for (const StagePlan& stage : placed.plan->stages) kernels_[stage.name] = stage.kernel;
    measure::ProfileRun run = measured(*placed.plan);
    if (!run.measured) {
      const std::string where = run.stage.empty() ? "" : "stage '" + run.stage + "': ";
      return fail(run.status.with_context(where + "the graph fails with these inputs"),
                  run.status.code() == Code::kUnavailable ? kUnavailable : kFailed, request_.graph.json);
    }
    profile_.base = std::move(*run.measured);
    for (const auto& [stage, kind] : base_) add(stage, kind, profile_.base);
    return kDone;
  }

  // Measures the stages of cpu controllers with several workers once more, while all of these work.
  int measure_busy() {
    const Loaded placed = compile(pins_with({}, ControllerKind::kCpu), std::nullopt);
    if (!placed.plan) return placed.exit_code;
    if (usable_processors() == 1 ||
        std::ranges::none_of(placed.plan->controllers, &ControllerPlan::has_several_workers))
      return kDone;
    const auto plan = plan_for_here(*placed.plan, placed.plan->model);
    if (!plan.ok()) return fail(plan.status(), kFailed, request_.graph.json);
    measure::ProfileRun run = measured(*plan, true);
    if (!run.measured) {
      print_warning(run.status.with_context("with many instances in flight").message() +
                    ": times with all workers at work are left out");
      return kDone;
    }
    for (const auto& [stage, kind] : base_) {
      const measure::MeasuredStage& busy = run.measured->stages.at(stage);
      if (kind == ControllerKind::kCpu && busy.device.workers > 1)
        profile_.entries[stage][std::string(to_string(kind))].busy = busy;
    }
    return kDone;
  }

  // Measures all stages that can be of this kind at once; those that fail are left out of the next try, one at a time.
  void measure_kind(ControllerKind kind) {
    std::set<std::string> left;
    for (const auto& [stage, base] : base_) {
      if (base == kind) continue;
      const auto& kinds = facts_.kinds[stage];
      if (std::ranges::find(kinds, kind) == kinds.end()) {
        const std::string variant(default_backend(kind).variant);
        if (const auto& beyond = facts_.beyond[stage]; beyond.contains(kind))
          miss(stage, kind, "kernel '" + kernels_[stage] + "' " + beyond.at(kind) + ", which no `" + variant + "` can",
               "leave it on a cpu");
        else
          miss(stage, kind, "kernel '" + kernels_[stage] + "' has no variant `" + variant + "`",
               "add one to its kernel.yaml (docs/kernels.md)");
      } else if (const auto absent = absent_.find(kind); absent != absent_.end()) {
        miss(stage, kind, absent->second, "`woa devices` lists what can run here, and what is missing for the rest");
      } else {
        left.insert(stage);
      }
    }
    while (!left.empty()) left = try_stages(left, kind);
  }

  // Returns the stages to try again: without one that has failed, or was tried alone.
  std::set<std::string> try_stages(std::set<std::string> stages, ControllerKind kind) {
    const Loaded placed = compile(pins_with(stages, kind));
    measure::ProfileRun run{std::nullopt, {Code::kInvalid, "the graph does not compile with it there"}, {}};
    if (placed.plan) run = measured(*placed.plan);
    if (run.measured) {
      for (const std::string& stage : stages) add(stage, kind, *run.measured);
      return {};
    }
    const bool named = stages.contains(run.stage);
    const std::string one = named ? run.stage : *stages.begin();
    if (named || stages.size() == 1)
      miss(one, kind, "it failed here: " + run.status.message(), "mend that, or give inputs that this variant takes");
    else  // a run that did not start blames no stage
      try_stages({one}, kind);
    stages.erase(one);
    return stages;
  }

  [[nodiscard]] Pins pins_with(const std::set<std::string>& stages, ControllerKind kind) const {
    Pins pins;
    for (const auto& [stage, base] : base_) pins[stage] = controller_of(stages.contains(stage) ? kind : base);
    return pins;
  }

  void add(const std::string& stage, ControllerKind kind, const measure::MeasuredRun& run) {
    const measure::MeasuredStage& measured = run.stages.at(stage);
    if (measured.firings.empty())
      return miss(stage, kind, "it did not fire with these inputs", "give inputs that take its branch");
    profile_.entries[stage][std::string(to_string(kind))] = {measured, {}, {}, {}};
  }

  void miss(const std::string& stage, ControllerKind kind, const std::string& why, const std::string& fix) {
    profile_.entries[stage][std::string(to_string(kind))] = {{}, {}, why, fix};
  }

  const ProfileRequest& request_;
  const BackendRegistry& backends_;
  std::map<ControllerKind, std::string> absent_;
  GraphFacts facts_;
  std::optional<InputFiles> inputs_;
  std::map<std::string, ControllerKind> base_;  // by stage
  std::map<std::string, std::string> kernels_;  // by stage
  measure::HostProbe probe_;
  GraphProfile profile_;
};

}  // namespace

Profiled profile_graph(const ProfileRequest& request, const BackendRegistry& backends) {
  Profiler profiler(request, backends);
  const int code = profiler.run();
  if (code != kDone) return {std::nullopt, code};
  return {profiler.take(), kDone};
}

Status write_profile(const std::string& path, const nlohmann::ordered_json& profile) {
  return write_file(path, profile.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace woa::tools
