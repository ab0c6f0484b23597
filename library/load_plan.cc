#include "library/load_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "library/machine_choice.h"
#include "library/program_kernels.h"
#include "runtime/base/file.h"
#include "runtime/base/processor.h"
#include "runtime/base/text.h"
#include "runtime/call_models/call_model.h"
#include "runtime/controller/kernel_library.h"
#include "runtime/plan/isolation.h"
#include "runtime/plan/plan_file.h"
#include "runtime/plan/room.h"

namespace woa {
namespace {

bool is_plan(const std::filesystem::path& file) {
  const Result<std::string> head = read_regular_file(file, 16);
  return head.ok() && looks_like_plan(std::as_bytes(std::span(*head)));
}

// The value as the plan spells it. Bounds and choices are not in a plan: create() of the kernel checks them.
Result<std::string> param_value(const ParamPlan& param, const std::string& name, const std::string& value) {
  std::error_code error;
  if (param.type == ParamType::kFile && !value.empty()) return std::filesystem::absolute(value, error).string();
  std::optional<std::string> normal = normal_value(param.type, value);
  if (normal) return *std::move(normal);
  return {Code::kInvalid,
          "--param " + name + " is '" + value + "', expected a value of type " + std::string(to_string(param.type))};
}

// --param for a plan.
Status set_param(Plan& plan, const std::string& name, const std::string& value) {
  const std::size_t dot = name.find('.');
  bool found = false;
  for (StagePlan& stage : plan.stages) {
    if (stage.name.substr(0, stage.name.find_first_of("[@")) != name.substr(0, dot)) continue;  // any replica or copy
    for (ParamPlan& param : stage.params) {
      if (param.name != name.substr(dot + 1)) continue;
      if (!param.secret_env.empty())
        return {Code::kInvalid,
                "--param " + name + " is secret: set the environment variable " + param.secret_env + " instead"};
      if (param.choice >= 0 && stage.variant.kind != "cpu")  // devices get the number, which only kernel.yaml gives
        return {Code::kInvalid,
                "--param " + name + ": stage '" + stage.name + "' runs as " + stage.variant.kind +
                    ", and the plan knows its choice by number; compile the graph again with this --param"};
      WOA_ASSIGN_OR_RETURN(std::string given, param_value(param, name, value));
      param.value = std::move(given);
      found = true;
    }
  }
  if (found) return {};
  return {Code::kInvalid, "--param " + name + ": the plan has no such stage or parameter"};
}

std::vector<ReadFile> read_files(const Compilation& compiled) {
  std::vector<ReadFile> files = compiled.plan ? read_by(*compiled.plan) : std::vector<ReadFile>();
  for (const std::string& file : compiled.files) files.push_back({"the graph", file});
  return files;
}

LoadedPlan compile_graph(const PlanOptions& options, const std::map<std::string, std::string>& params) {
  CompileOptions compile;
  compile.kernel_path = kernel_path();
  compile.program_kernels = described_kernels();
  if (!options.any_machine) compile.machine = machine_file(options.machine, options.warn);
  if (!options.profile.empty()) compile.profile = options.profile;
  compile.goal = options.goal;
  if (options.model) compile.goal.model = *options.model;
  compile.placement_limit =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(options.placement_limit_ns));
  compile.pins = options.pins;
  compile.transport = options.transport;
  compile.params = params;
  compile.nodes = static_cast<std::uint32_t>(std::max<std::size_t>(options.nodes, 1));
  compile.workers = options.workers;
  compile.replicas = options.replicas;
  compile.window = options.window;
  compile.timeout_ns = options.timeout_ns;
  compile.warn_of_unbuilt = options.anywhere;
  Compilation result = options.text
                           ? compile_text(*options.text, options.file.string(), options.file.parent_path(), compile)
                           : compile_file(options.file, compile);
  LoadedPlan loaded;
  loaded.read = read_files(result);
  loaded.plan = std::move(result.plan);
  loaded.facts = std::move(result.facts);
  loaded.diagnostics = std::move(result.diagnostics);
  if (loaded.plan && options.model) loaded.plan->model = *options.model;
  if (!loaded.plan) loaded.status = {Code::kInvalid, "the graph has errors"};
  return loaded;
}

// Every call model can use a plan's placement, but its proofs hold only for the model that it was placed for.
Status change_model(CertifiedPlan& plan, const PlanOptions& options) {
  if (!options.model || *options.model == plan.model) return {};
  const std::string of = "--model " + *options.model + ": the plan was placed for call model " + plan.model;
  if (options.buffers == kThroughputBuffers)
    return {Code::kInvalid, of + ", and so would --buffers throughput count its blocks; leave one of the two out"};
  if (options.written && plan.certificate)
    return {Code::kInvalid, of + ", and its certificate holds of no other; compile the graph again with --model " +
                                *options.model + ", or run the plan as it is: woa run PLAN --model " + *options.model};
  plan.model = *options.model;
  plan.certificate.reset();
  return {};
}

// Drops the certificate, which does not hold with an option. A plain run repeats no proof of the plan; kInvalid:
// another use would.
Status drop_certificate(CertifiedPlan& plan, const PlanOptions& options, const std::string& why) {
  if (plan.certificate && (options.written || options.buffers == kThroughputBuffers))
    return {Code::kInvalid, why + (options.written ? "" : ", and so would --buffers throughput count its blocks") +
                                "; compile the graph again, or give it to `woa run` with the plan as it is"};
  plan.certificate.reset();
  return {};
}

// A profile belongs to the parameters that the graph ran with.
Status change_params(CertifiedPlan& plan, const PlanOptions& options,
                     const std::map<std::string, std::string>& params) {
  for (const auto& [name, value] : params) WOA_RETURN_IF_ERROR(set_param(plan, name, value));
  if (params.empty()) return {};
  return drop_certificate(plan, options, "--param: the plan was placed by a profile of other parameters");
}

// A certificate's times hold for the workers that it was computed with.
Status change_workers(CertifiedPlan& plan, const PlanOptions& options) {
  if (!options.workers) return {};
  WOA_RETURN_IF_ERROR(drop_certificate(plan, options, "--workers: the plan was placed for other numbers of workers"));
  const std::vector<std::uint32_t> before = workers_of(plan, 1);
  for (ControllerPlan& controller : plan.controllers)
    if (controller.kind == ControllerKind::kCpu) controller.workers = *options.workers;
  raise_room(plan, before, workers_of(plan, 1));
  return {};
}

// One above the plan's own is only for a plan whose window the run may raise.
Status set_window(Plan& plan, std::uint32_t window) {
  if (plan.raises_window && window > plan.window) raise_window(plan, window);
  plan.raises_window = false;
  if (window > plan.window)
    return {Code::kInvalid, "--window " + std::to_string(window) + ": the plan's channels have room for " +
                                std::to_string(plan.window) + "; compile the graph again with that window"};
  plan.window = window;
  return {};
}

// Applies the command line to a plan that is compiled already.
Status change_plan(CertifiedPlan& plan, const PlanOptions& options, const std::map<std::string, std::string>& params) {
  if (!options.machine.empty()) {
    return {Code::kInvalid, "--machine: the plan was placed when it was compiled; compile the graph again"};
  }
  if (!options.profile.empty()) {
    return {Code::kInvalid, "--profile: the plan was placed when it was compiled; compile the graph again"};
  }
  if (!options.replicas.empty()) {
    return {Code::kInvalid, "--replicas: the plan has the replicas that it was compiled with; compile the graph again"};
  }
  if (const std::size_t most = plan.controllers.size() - 1; options.nodes > most)
    return {Code::kInvalid, "--nodes " + std::to_string(options.nodes) + ": the plan has " +
                                counted(most, "controller") + "; compile the graph again with that number"};
  if (options.buffers == kFullBuffers)  // a plan may have the least blocks, and does not record that
    return {Code::kInvalid,
            "--buffers full: the plan has the blocks that it was compiled with; compile the graph again"};
  WOA_RETURN_IF_ERROR(change_model(plan, options));
  WOA_RETURN_IF_ERROR(change_params(plan, options, params));
  WOA_RETURN_IF_ERROR(change_workers(plan, options));
  if (options.window) WOA_RETURN_IF_ERROR(set_window(plan, *options.window));
  if (options.timeout_ns) plan.timeout_ns = *options.timeout_ns;
  return {};
}

// One warning for each kernel that is not here, about the first stage that has it.
std::vector<Diagnostic> missing_kernels(const Plan& plan, const std::filesystem::path& file) {
  const std::vector<std::filesystem::path> folders = kernel_path();
  std::vector<Diagnostic> missing;
  std::set<std::pair<std::string, std::string>> looked_for;
  for (const StagePlan& stage : plan.stages) {
    if (stage.role != StageRole::kKernel || !looked_for.emplace(stage.kernel_file, stage.kernel).second) continue;
    const auto found = KernelLibrary::find(stage, folders);
    if (found.ok()) continue;
    Diagnostic& warning = missing.emplace_back();
    warning.severity = Severity::kWarning;
    warning.file = file.string();
    warning.text = printable("this cannot run here: " + found.status().message());
    warning.code = problem::kNotBuilt;
    warning.fix = "build it here, set WOA_KERNEL_PATH to its folder, or run the plan where the kernel is";
  }
  return missing;
}

LoadedPlan read_plan_file(const PlanOptions& options, const std::map<std::string, std::string>& params) {
  auto plan = read_certified_plan(options.file);
  if (!plan.ok()) return {std::nullopt, plan.status()};
  if (const Status live = verify_liveness(*plan); !live.ok())
    return {std::nullopt, live.with_context(options.file.string())};
  // A false certificate is never computed with, printed or written again.
  if (options.buffers == kThroughputBuffers || (options.anywhere && plan->certificate)) {
    if (const Status placed = verify_certificate(*plan); !placed.ok())
      return {std::nullopt, placed.with_context(options.file.string())};
  }
  if (const Status changed = change_plan(*plan, options, params); !changed.ok())
    return {std::nullopt, changed, true, true};
  std::vector<ReadFile> read = read_by(*plan);
  std::vector<Diagnostic> missing;
  if (options.anywhere) missing = missing_kernels(*plan, options.file);
  return {std::move(*plan), {}, false, true, {}, std::move(missing), std::move(read)};
}

// Gives every edge room for the window of the workers that the certificate counts: the search takes away what is not
// needed.
void give_all_room(CertifiedPlan& plan) {
  const std::vector<std::uint32_t> workers = workers_counted(plan);
  raise_room(plan, workers_of(plan, 1), workers);
  plan.raises_window = false;
  raise_room(plan, workers, std::vector<std::uint32_t>(workers.size(), kMaxWindow));
}

// Applies --buffers. Blocks for a throughput need a true certificate, which is checked by now.
Status set_blocks(CertifiedPlan& plan, const PlanOptions& options) {
  if (options.buffers == kLeastBuffers)
    for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  if (options.buffers == kThroughputBuffers) give_all_room(plan);
  if (options.buffers && *options.buffers != kFullBuffers) plan.raises_window = plan.raises_blocks = false;
  if (options.buffers != kThroughputBuffers) return {};
  WOA_ASSIGN_OR_RETURN(const auto sized, blocks_for_throughput(plan));
  if (!sized.least)
    options.warn(
        "--buffers throughput: not every edge was tried with fewer blocks, as that takes too long for a plan of this "
        "size; the period is kept");
  for (std::size_t e = 0; e < plan.edges.size(); ++e) plan.edges[e].blocks = sized.blocks[e];
  return {};
}

// Applies --isolate and --kernel-limit.
Status isolate(CertifiedPlan& plan, const PlanOptions& options) {
  if (!options.isolate && options.kernel_limit_ns == 0) return {};
  return isolate_all(plan, options.kernel_limit_ns)
      .with_context(options.kernel_limit_ns != 0 ? "--kernel-limit" : "--isolate");
}

// Refuses goals that are wrong whatever the costs are.
Status check_goal(const PlacementGoal& goal) {
  const bool throughput = goal.objective == "throughput";
  if (throughput && goal.most_period_ps)
    return {Code::kInvalid,
            "--max-period: with --objective throughput the time between two instances is the least possible; "
            "leave it out, or bound the other with --max-latency"};
  if (!throughput && goal.most_latency_ps)
    return {Code::kInvalid,
            "--max-latency: without --objective throughput the latency is the least possible; leave it out, or bound "
            "the other with --max-period"};
  return {};
}

// Splits STAGE.NAME=VALUE.
Status read_params(const std::vector<std::string>& given, std::map<std::string, std::string>& params) {
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || text.find('.') > equals)  // the rest may be a secret
      return {Code::kInvalid, "--param expects STAGE.NAME=VALUE, got '" + text.substr(0, equals) + "'"};
    params[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

}  // namespace

Result<Plan> plan_for_here(const CertifiedPlan& plan, std::string_view model, const Cores& cores) {
  std::vector<std::uint32_t> workers = workers_of(plan, static_cast<std::uint32_t>(usable_processors()));
  const std::vector<Processors> pinned = processors_of(cores, plan);
  for (std::size_t c = 0; c < pinned.size(); ++c)
    if (plan.controllers[c].workers == kAllWorkers && !pinned[c].empty())
      workers[c] = static_cast<std::uint32_t>(pinned[c].size());
  Plan raised = plan;
  raise_room(raised, workers_of(plan, 1), workers);
  auto routed = rewrite(raised, model);
  return routed.ok() ? std::move(routed) : rewrite(plan, model);
}

bool LoadedPlan::graph_has_errors() const {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& each) { return each.severity == Severity::kError; });
}

LoadedPlan load_plan(const PlanOptions& options) {
  std::map<std::string, std::string> params;
  if (const Status read = read_params(options.params, params); !read.ok()) return {std::nullopt, read, true};
  if (const Status goal = check_goal(options.goal); !goal.ok()) return {std::nullopt, goal, true};
  const bool compiled = !options.text && is_plan(options.file);
  if (options.buffers == kThroughputBuffers && !compiled && options.profile.empty())
    return {
        std::nullopt,
        {Code::kInvalid,
         "--buffers throughput: nothing is known of what stages take; measure the graph with `woa profile` and give "
         "--profile FILE"},
        true};
  LoadedPlan loaded = compiled ? read_plan_file(options, params) : compile_graph(options, params);
  if (!loaded.plan) return loaded;
  loaded.status = set_blocks(*loaded.plan, options);
  if (loaded.status.ok()) {
    loaded.status = isolate(*loaded.plan, options);
    loaded.bad_option = !loaded.status.ok();
  }
  if (!loaded.status.ok()) loaded.plan.reset();
  return loaded;
}

}  // namespace woa
