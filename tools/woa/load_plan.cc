#include "tools/woa/load_plan.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "compiler/compiler.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/call_models/call_model.h"
#include "runtime/controller/kernel_library.h"
#include "runtime/plan/plan_file.h"
#include "tools/woa/commands.h"
#include "tools/woa/diagnostics.h"
#include "tools/woa/environment.h"
#include "tools/woa/failure.h"
#include "tools/woa/machine_choice.h"
#include "tools/woa/option_values.h"
#include "tools/woa/progress.h"

namespace woa::tools {
namespace {

constexpr std::array<Unit, 4> kPicoseconds{
    {{"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};

constexpr std::array<Unit, 3> kMilliwatts{{{"mW", 1}, {"W", 1'000}, {"kW", 1'000'000}}};

// A year: times computed with it, such as the end of a run, fit into 63 bits.
constexpr std::uint64_t kMostNs = 365ULL * 24 * 60 * 60'000'000'000;
// Largest bound on the price or the power: larger sums are not added up.
constexpr std::uint64_t kMostSpent = kMostCost - 1;

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
      Result<std::string> given = param_value(param, name, value);
      if (!given.ok()) return given.status();
      param.value = *std::move(given);
      found = true;
    }
  }
  if (found) return {};
  return {Code::kInvalid, "--param " + name + ": the plan has no such stage or parameter"};
}

std::vector<WrittenFile> all_written(const GraphOptions& options) {
  std::vector<WrittenFile> files = given({{"--sarif", options.sarif}});
  files.insert(files.end(), options.written_files.begin(), options.written_files.end());
  return files;
}

// The files that the command line names.
std::vector<ReadFile> read_files(const GraphOptions& options) {
  return {{"GRAPH", options.file}, {"--machine", options.machine}, {"--profile", options.profile}};
}

std::vector<ReadFile> read_files(const Compilation& compiled) {
  std::vector<ReadFile> files = compiled.plan ? read_by(*compiled.plan) : std::vector<ReadFile>();
  for (const std::string& file : compiled.files) files.push_back({"the graph", file});
  return files;
}

Compilation compile_and_wait(const GraphOptions& options, const CompileOptions& compile) {
  std::optional<Waiting> waiting;
  if (compile.profile) waiting.emplace("looking for a placement for " + compile.goal.model, compile.placement_limit);
  return compile_file(options.file, compile);
}

Loaded compile_graph(const GraphOptions& options, const std::map<std::string, std::string>& params) {
  CompileOptions compile;
  compile.kernel_path = kernel_path();
  if (!options.any_machine) compile.machine = machine_file(options.machine);
  if (!options.profile.empty()) compile.profile = options.profile;
  compile.goal = options.goal;
  if (options.model) compile.goal.model = *options.model;
  compile.placement_limit =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(options.placement_limit_ns));
  compile.pins = options.pins;
  compile.transport = options.transport;
  compile.params = params;
  compile.replicas = options.replicas;
  compile.window = options.window;
  compile.deadline_ns = options.deadline_ns;
  compile.warn_of_unbuilt = compile.warn_of_wires = options.anywhere;
  Compilation result = compile_and_wait(options, compile);
  std::vector<ReadFile> read = read_files(result);
  if (const Status kept = check_kept(all_written(options), read); !kept.ok())
    return {std::nullopt, fail(kept, kUsage, options.json)};
  if (!options.quiet) print_diagnostics(result.diagnostics);
  if (!options.sarif.empty()) {
    if (const Status written = write_sarif(result.diagnostics, options.sarif); !written.ok()) {
      return {std::nullopt, fail(written, kFailed, options.json)};
    }
  }
  Loaded loaded{std::move(result.plan), kDone, std::move(result.facts), std::move(result.diagnostics)};
  if (loaded.plan) {
    loaded.read = std::move(read);
    if (options.model) loaded.plan->model = *options.model;
    return loaded;
  }
  loaded.exit_code = kFailed;
  if (options.json && !options.quiet) print_json({{"ok", false}, {"diagnostics", to_json(loaded.diagnostics)}});
  return loaded;
}

// Every call model can use a plan's placement, but its proofs hold only for the model that it was placed for.
Status change_model(CertifiedPlan& plan, const GraphOptions& options) {
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

// A profile belongs to the parameters that the graph ran with. A plain run repeats no proof of the plan.
Status change_params(CertifiedPlan& plan, const GraphOptions& options,
                     const std::map<std::string, std::string>& params) {
  for (const auto& [name, value] : params) WOA_RETURN_IF_ERROR(set_param(plan, name, value));
  const bool proved = plan.certificate && (options.written || options.buffers == kThroughputBuffers);
  if (proved && !params.empty())
    return {Code::kInvalid,
            "--param: the plan was placed by a profile of other parameters" +
                std::string(options.written ? "" : ", and so would --buffers throughput count its blocks") +
                "; compile the graph again, or give it to `woa run` with the plan as it is"};
  if (!params.empty()) plan.certificate.reset();
  return {};
}

// Applies the command line to a plan that is compiled already.
Status change_plan(CertifiedPlan& plan, const GraphOptions& options, const std::map<std::string, std::string>& params) {
  if (!options.machine.empty()) {
    return {Code::kInvalid, "--machine: the plan was placed when it was compiled; compile the graph again"};
  }
  if (!options.profile.empty()) {
    return {Code::kInvalid, "--profile: the plan was placed when it was compiled; compile the graph again"};
  }
  if (!options.sarif.empty()) return {Code::kInvalid, "--sarif: a plan has no places to report; give the graph"};
  if (!options.replicas.empty()) {
    return {Code::kInvalid, "--replicas: the plan has the replicas that it was compiled with; compile the graph again"};
  }
  if (options.buffers == kFullBuffers)  // a plan may have the least blocks, and does not record that
    return {Code::kInvalid,
            "--buffers full: the plan has the blocks that it was compiled with; compile the graph again"};
  if (options.window && *options.window > plan.window) {
    return {Code::kInvalid, "--window " + std::to_string(*options.window) + ": the plan's channels have room for " +
                                std::to_string(plan.window) + "; compile the graph again with that window"};
  }
  WOA_RETURN_IF_ERROR(change_model(plan, options));
  WOA_RETURN_IF_ERROR(change_params(plan, options, params));
  if (options.window) plan.window = *options.window;
  if (options.deadline_ns) plan.deadline_ns = *options.deadline_ns;
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

Loaded read_plan_file(const GraphOptions& options, const std::map<std::string, std::string>& params) {
  auto plan = read_certified_plan(options.file);
  if (!plan.ok()) return {std::nullopt, fail(plan.status(), kFailed, options.json)};
  if (const Status live = verify_liveness(*plan); !live.ok()) {
    return {std::nullopt, fail(live.with_context(options.file.string()), kFailed, options.json)};
  }
  // A false certificate is never computed with, printed or written again.
  if (options.buffers == kThroughputBuffers || (options.anywhere && plan->certificate)) {
    if (const Status placed = verify_certificate(*plan); !placed.ok())
      return {std::nullopt, fail(placed.with_context(options.file.string()), kFailed, options.json)};
  }
  Status changed = change_plan(*plan, options, params);
  std::vector<ReadFile> read = read_by(*plan);
  if (changed.ok()) changed = check_kept(all_written(options), read);
  if (!changed.ok()) return {std::nullopt, fail(changed, kUsage, options.json)};
  std::vector<Diagnostic> missing;
  if (options.anywhere) missing = missing_kernels(*plan, options.file);
  if (!options.quiet) print_diagnostics(missing);
  return {std::move(*plan), kDone, {}, std::move(missing), std::move(read)};
}

Result<ThroughputBlocks> find_blocks(const CertifiedPlan& plan) {
  const Waiting waiting("looking for the fewest blocks");
  return blocks_for_throughput(plan);
}

// Applies --buffers. Blocks for a throughput need a true certificate, which is checked by now.
Status set_blocks(CertifiedPlan& plan, const GraphOptions& options) {
  if (options.buffers == kLeastBuffers)
    for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  if (options.buffers != kThroughputBuffers) return {};
  const auto sized = find_blocks(plan);
  if (!sized.ok()) return sized.status();
  if (!sized->least && !options.quiet)
    print_warning(
        "--buffers throughput: not every edge was tried with fewer blocks, as that takes too long for a plan of this "
        "size; the period is kept");
  for (std::size_t e = 0; e < plan.edges.size(); ++e) plan.edges[e].blocks = sized->blocks[e];
  return {};
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

void read_replicas(const std::vector<std::string>& given, std::map<std::string, std::uint32_t>& replicas) {
  for (const std::string& text : given) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto count = equals == text.size() ? std::nullopt : parse_whole(std::string_view(text).substr(equals + 1));
    if (!count || *count > std::numeric_limits<std::uint32_t>::max())
      throw CLI::ValidationError("--replicas", "expects STAGE=N, got '" + text + "'");
    replicas[text.substr(0, equals)] = static_cast<std::uint32_t>(*count);
  }
}

void add_window_option(CLI::App& command, GraphOptions& options) {
  command.add_option("--window", options.window, "Instances in flight at most (1-64; default: twice the stages)")
      ->transform(within(1, kMaxWindow));
}

void add_buffers_option(CLI::App& command, GraphOptions& options, const std::string& more,
                        const std::vector<std::string>& names, const std::string& by_default) {
  command
      .add_option("--buffers", options.buffers,
                  "Blocks per edge (docs/liveness.md; default: " + by_default +
                      "). full: for the whole window. least: for one instance" + more)
      ->check(one_of(names));
}

void add_replicas_option(CLI::App& command, GraphOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--replicas", [&options](const std::vector<std::string>& given) { read_replicas(given, options.replicas); },
          "Run a stage N times at once (1-64); may be repeated")
      ->type_name("STAGE=N")
      ->take_all()
      ->allow_extra_args(false);
}

}  // namespace

CLI::Validator duration_ns() { return with_unit(kTimeUnits, kMostNs, "TIME"); }

void add_file_options(CLI::App& command, GraphOptions& options, const std::string& what) {
  command.add_option(what, options.file, what == "GRAPH|PLAN" ? "Graph (YAML) or compiled plan" : "Graph (YAML)")
      ->required();
  command.add_option("--param", options.params, "Set a kernel's parameter; may be repeated")
      ->type_name("STAGE.NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--json", options.json, "Print one JSON object on stdout");
}

void add_graph_options(CLI::App& command, GraphOptions& options, const std::string& what) {
  add_file_options(command, options, what);
  command
      .add_option(
          "--machine", options.machine,
          "Machine file: controllers, links, measurements (docs/machine.md; default: the file of `woa calibrate`)")
      ->type_name("FILE");
  command
      .add_option("--profile", options.profile,
                  "Measured times of this graph (`woa profile`, docs/profile.md); another graph's profile is refused")
      ->type_name("FILE");
}

void add_sarif_option(CLI::App& command, GraphOptions& options) {
  command.add_option("--sarif", options.sarif, "Also write the problems as SARIF 2.1.0, for code hosts and editors")
      ->type_name("FILE");
}

void add_placement_options(CLI::App& command, GraphOptions& options) {
  const auto time = with_unit(kPicoseconds, kMostCost, "TIME");
  CLI::Option* const profile = command.get_option("--profile");
  command
      .add_option("--objective", options.goal.objective,
                  "Minimise latency (time of one instance; default) or throughput (time between instances)")
      ->check(one_of({"latency", "throughput"}))
      ->needs(profile);
  command.add_option("--max-latency", options.goal.most_latency_ps, "With --objective throughput: bound the latency")
      ->transform(time)
      ->needs(profile);
  command
      .add_option("--max-period", options.goal.most_period_ps,
                  "With --objective latency: bound the time between instances")
      ->transform(time)
      ->needs(profile);
  command
      .add_option("--max-price", options.goal.most_price,
                  "Bound the price of the controllers in use (unit of the machine file)")
      ->transform(within(0, kMostSpent))
      ->needs(profile);
  command
      .add_option("--max-power", options.goal.most_power_mw,
                  "Bound the power of the controllers in use, for instance 300W")
      ->transform(with_unit(kMilliwatts, kMostSpent, "POWER"))
      ->needs(profile);
  command
      .add_option("--copies", options.goal.copies,
                  "Controllers that may each run a copy of a stateless stage (1-8; default: 1)")
      ->transform(within(1, kMostCopies))
      ->needs(profile);
  command.add_option("--placement-limit", options.placement_limit_ns, "Time limit of the search (default: 10s)")
      ->transform(duration_ns())
      ->needs(profile);
}

void add_model_option(CLI::App& command, GraphOptions& options) {
  command
      .add_option("--model", options.model,
                  std::string(kWoa) + " forwards (default); " + list_of(std::span(kCallModels).subspan(1)) +
                      " return results (docs/call-models.md). A plan keeps its own")
      ->check(one_of({std::begin(kCallModels), std::end(kCallModels)}));
}

void add_deadline_option(CLI::App& command, GraphOptions& options) {
  command
      .add_option("--deadline", options.deadline_ns,
                  "Time that an instance may take, for instance 500ms or 2s (default: none)")
      ->transform(duration_ns());
}

void add_flow_options(CLI::App& command, GraphOptions& options) {
  add_window_option(command, options);
  add_deadline_option(command, options);
  add_buffers_option(command, options, ". throughput: the fewest that reach --max-period, or the placement's period",
                     {std::string(kFullBuffers), std::string(kLeastBuffers), std::string(kThroughputBuffers)},
                     "full, and a plan keeps its own");
  add_replicas_option(command, options);
}

void add_flow_options_of_any_model(CLI::App& command, GraphOptions& options) {
  add_window_option(command, options);
  add_buffers_option(command, options, "", {std::string(kFullBuffers), std::string(kLeastBuffers)}, "full");
  add_replicas_option(command, options);
}

std::string_view transport_of(std::string_view processes) noexcept { return processes == "one" ? "loopback" : "shm"; }

Loaded load_plan(const GraphOptions& options) {
  std::map<std::string, std::string> params;
  for (const std::string& text : options.params) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || text.find('.') > equals) {
      const std::string given = text.substr(0, equals);  // the rest may be a secret
      return {std::nullopt,
              fail({Code::kInvalid, "--param expects STAGE.NAME=VALUE, got '" + given + "'"}, kUsage, options.json)};
    }
    params[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (const Status goal = check_goal(options.goal); !goal.ok()) return {std::nullopt, fail(goal, kUsage, options.json)};
  if (const Status kept = check_kept(all_written(options), read_files(options)); !kept.ok())
    return {std::nullopt, fail(kept, kUsage, options.json)};
  const bool compiled = is_plan(options.file);
  if (options.buffers == kThroughputBuffers && !compiled && options.profile.empty())
    return {std::nullopt, fail({Code::kInvalid,
                                "--buffers throughput: nothing is known of what stages take; measure the graph with "
                                "`woa profile` and give --profile FILE"},
                               kUsage, options.json)};
  Loaded loaded = compiled ? read_plan_file(options, params) : compile_graph(options, params);
  if (!loaded.plan) return loaded;
  std::ranges::copy(read_files(options), std::inserter(loaded.read, loaded.read.begin()));
  const Status sized = set_blocks(*loaded.plan, options);
  return sized.ok() ? std::move(loaded) : Loaded{std::nullopt, fail(sized, kFailed, options.json)};
}

}  // namespace woa::tools
