#include "compiler/compiler.h"

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/buffers/blocks.h"
#include "compiler/buffers/channels.h"
#include "compiler/buffers/invariants.h"
#include "compiler/check/params.h"
#include "compiler/check/profile_fit.h"
#include "compiler/check/resolve.h"
#include "compiler/check/types.h"
#include "compiler/diagnostics/report.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/on_card.h"
#include "compiler/emit/replicas.h"
#include "compiler/expand/expand.h"
#include "compiler/expand/includes.h"
#include "compiler/parse/file_kind.h"
#include "compiler/parse/files.h"
#include "compiler/parse/graph_file.h"
#include "compiler/parse/kernel_catalog.h"
#include "compiler/parse/machine_file.h"
#include "compiler/parse/profile.h"
#include "compiler/place/by_costs.h"
#include "compiler/place/needs.h"
#include "compiler/place/place.h"
#include "compiler/place/replicas.h"
#include "compiler/predict/prediction.h"
#include "runtime/base/processor.h"
#include "runtime/plan/in_place.h"
#include "runtime/plan/room.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kGraphSource = 0;  // the graph is the first source of a report

Machine read_machine_at(const fs::path& path, std::uint32_t cpus, Report& report) {
  const std::uint32_t source = report.add_source(path.string(), "");
  const std::optional<std::string> text = read_file(path, {source, 0, 0, 1}, report);
  if (!text) return default_machine(cpus);
  return read_machine(report.add_source(path.string(), *text), report, cpus).value_or(default_machine(cpus));
}

void set_workers(ControllerPlan& controller, const CompileOptions& options) {
  if (options.workers && controller.kind == ControllerKind::kCpu) controller.workers = *options.workers;
}

Machine load_machine(const CompileOptions& options, Report& report) {
  Machine machine =
      options.machine ? read_machine_at(*options.machine, options.nodes, report) : default_machine(options.nodes);
  machine.transport = options.transport;
  machine.processors = options.processors.value_or(static_cast<std::uint32_t>(usable_processors()));
  for (MachineController& controller : machine.controllers) {
    set_workers(controller.plan, options);
    if (options.nodes > 1 && controller.place.line == 0) controller.cores.clear();  // each has a computer of its own
  }
  return machine;
}

void check_options(const CompileOptions& options, Report& report) {
  if (!options.window || (*options.window >= 1 && *options.window <= kMaxWindow)) return;
  report.error(problem::kBadOption, {report.add_source(std::string(kCommandLine), ""), 0, 0, 1},
               cat("--window is ", *options.window, ", expected 1 to ", kMaxWindow), "choose a window in that range");
}

void set_replicas(Graph& graph, const std::map<std::string, std::uint32_t>& replicas, Report& report) {
  if (replicas.empty()) return;
  const Place place{report.add_source("command line", ""), 0, 0, 1};
  for (const auto& [name, count] : replicas) {
    const auto first = graph.stages.begin() + kSinkStage + 1;
    const auto stage = std::ranges::find(first, graph.stages.end(), name, &GraphStage::name);
    if (stage == graph.stages.end()) {
      report_unknown(report, problem::kBadOption, place, cat("--replicas names stage ", quote(name)), name,
                     std::vector<GraphStage>(first, graph.stages.end()), "stages");
    } else if (count < 1 || count > kMaxReplicas) {
      report.error(problem::kBadOption, place, cat("--replicas is ", count, ", expected 1 to ", kMaxReplicas),
                   "choose a number in that range");
    } else {
      stage->replicas = count;
    }
  }
}

// Sets the limit calibrated for the transport, if the machine file has one.
void set_inline_limits(Plan& plan, const Machine& machine, const std::string& transport) {
  if (!machine.calibration) return;
  const auto limit = machine.calibration->inline_bytes.find(transport);
  if (limit == machine.calibration->inline_bytes.end()) return;
  for (EdgePlan& edge : plan.edges) edge.inline_bytes = limit->second;
}

// Replaces the graph's `on` and `needs`.
void set_pins(GraphFile& file, const CompileOptions& options) {
  for (StageDecl& stage : file.stages) {
    const auto pin = options.pins.find(stage.name);
    if (pin == options.pins.end()) continue;
    stage.on = pin->second;
    stage.needs.clear();  // a pin from outside overrides them
    if (stage.on_place.line == 0) stage.on_place = stage.place;
  }
}

GraphFacts facts_of(const Graph& graph, const std::string& name) {
  GraphFacts facts;
  facts.hash = graph_hash(graph, name);
  for (const GraphStage& stage : graph.stages) {
    if (stage.kernel == nullptr) continue;
    for (const ControllerKind kind : kKernelKinds) {
      if (runs_on(*stage.kernel, kind)) facts.kinds[stage.name].push_back(kind);
      if (const auto why = beyond(*stage.kernel, kind); !why.empty()) facts.beyond[stage.name].emplace(kind, why);
    }
  }
  return facts;
}

// Warns once for each kernel, at the first stage that has it. A plan may be run where the library is.
void warn_of_unbuilt_kernels(const Graph& graph, KernelCatalog& kernels, Report& report) {
  std::set<std::string> told;
  for (const GraphStage& stage : graph.stages) {
    if (stage.kernel == nullptr) continue;
    const KernelCatalog::Found& found = *kernels.find(stage.decl->kernel, stage.decl->kernel_place);
    if (found.unbuilt.empty() || !told.insert(stage.kernel->name).second) continue;
    report.warning(
        problem::kNotBuilt, stage.decl->kernel_place,
        cat("kernel ", quote(stage.kernel->name), " cannot run here: there is no ", quote_path(found.unbuilt)),
        "build the kernel (docs/kernels.md), or run the plan where it is built");
  }
}

// Nothing without a profile, or after a report. A graph with problems is not the one that was profiled.
std::optional<Profile> load_profile(const CompileOptions& options, const Graph& graph, const std::string& name,
                                    const std::string& hash, Report& report) {
  if (!options.profile) return std::nullopt;
  const std::uint32_t none = report.add_source(options.profile->string(), "");
  const std::optional<std::string> text = read_file(*options.profile, {none, 0, 0, 1}, report);
  if (!text) return std::nullopt;
  const bool same_graph = report.errors() == 0;
  auto profile = read_profile(report.add_source(options.profile->string(), *text), report);
  if (!profile || !same_graph || !check_profile(*profile, graph, name, hash, report)) return std::nullopt;
  return profile;
}

// `profile` outlives the graph.
void set_profiles(Graph& graph, const Profile& profile) {
  for (GraphStage& stage : graph.stages)
    if (stage.kernel != nullptr) stage.profile = &profile.stages.at(stage.name);
}

// `graph` is checked and placed, and its channels have sizes.
std::optional<CertifiedPlan> make_plan(const Graph& graph, const GraphFile& file, std::uint32_t window,
                                       const Machine& machine, const CompileOptions& options,
                                       std::optional<Certificate> certificate, Report& report) {
  Plan emitted = emit_plan(graph, file.name, window, options.timeout_ns ? options.timeout_ns : file.timeout_ns);
  emitted = with_replicas(std::move(emitted), graph);
  if (certificate) emitted = with_copies(std::move(emitted), graph, certificate->costs);
  CertifiedPlan plan(std::move(emitted));
  plan.certificate = std::move(certificate);
  set_inline_limits(plan, machine, options.transport);
  keep_allowed_in_place(plan);
  join_on_card(plan);
  if (const Status valid = validate(plan); !valid.ok()) {
    report.error(problem::kBadPlan, {}, cat("the plan of this graph cannot be run: ", valid.message()),
                 "make the graph smaller as the message says");
    return std::nullopt;
  }
  add_invariants(plan);
  plan.raises_window = !options.window && !file.window;
  plan.raises_blocks = true;
  raise_room(plan, std::vector<std::uint32_t>(plan.controllers.size(), 1), workers_of(plan, 1));
  return plan;
}

void add_prediction(CertifiedPlan& plan, Report& report) {
  if (!plan.certificate) return;
  auto prediction = predict(plan);
  if (prediction.ok()) {
    plan.certificate->prediction = std::move(*prediction);
  } else {
    report.error(problem::kNoPlacement, {}, prediction.status().message(), "mend the profile or the machine file");
  }
}

// `path` is the graph's own; its paths are relative to `folder`.
std::optional<CertifiedPlan> compile_source(const fs::path& path, const fs::path& folder, const CompileOptions& options,
                                            Report& report, GraphFacts& facts) {
  std::optional<GraphFile> file = read_graph(kGraphSource, report);
  if (!file) return std::nullopt;
  load_includes(*file, path, folder, report);
  KernelCatalog kernels(*file, options, report);
  std::map<std::string, std::string> params = options.params;
  if (!expand(*file, kernels, params, options.max_stages, report)) return std::nullopt;
  set_pins(*file, options);
  check_options(options, report);
  const Machine machine = load_machine(options, report);
  Graph graph = resolve(*file, kernels, report);
  if (options.warn_of_unbuilt) warn_of_unbuilt_kernels(graph, kernels, report);
  set_params(graph, params, *file, report);
  set_replicas(graph, options.replicas, report);
  settle_types(graph, report);
  facts = facts_of(graph, file->name);
  const std::optional<Profile> profile = load_profile(options, graph, file->name, facts.hash, report);
  if (profile) set_profiles(graph, *profile);
  place(graph, machine, report);
  for (ControllerPlan& controller : graph.controllers) set_workers(controller, options);
  if (auto flow = check_control_flow(graph, report)) count_blocks(graph, *flow, report);
  if (options.profile) check_capacities(graph, machine, Which::kBound, report);
  std::optional<Certificate> certificate;
  if (profile && report.errors() == 0)
    certificate = place_by_costs(graph, machine, *profile, options.goal, options.placement_limit, report);
  place_replicas(graph, machine, report);
  check_device_params(graph, report);
  if (!options.profile) check_capacities(graph, machine, Which::kAll, report);  // else they bound the choice
  if (options.only_check) return std::nullopt;
  const std::uint32_t window = choose_window(graph, options.window ? options.window : file->window, options.goal.model);
  check_output_ports(graph, report);
  size_channels(graph, window, options.goal.model, report);
  if (report.errors() != 0) return std::nullopt;
  std::optional<CertifiedPlan> plan = make_plan(graph, *file, window, machine, options, std::move(certificate), report);
  if (!plan) return plan;
  add_prediction(*plan, report);
  return plan;
}

Compilation compile_with(Report& report, const fs::path& path, const fs::path& folder, const CompileOptions& options) {
  Compilation result;
  result.plan = compile_source(path, folder, options, report, result.facts);
  result.files = report.files();
  result.diagnostics = report.take();
  return result;
}

}  // namespace

Compilation compile_text(const std::string& text, const std::string& name, const fs::path& folder,
                         const CompileOptions& options) {
  Report report(options.unsaved);
  report.add_source(name, text);
  return compile_with(report, folder / fs::path(name).filename(), folder, options);
}

CheckedText check_text(const std::string& text, const fs::path& path, const CompileOptions& options) {
  const FileKind kind = file_kind(text);
  if (kind == FileKind::kGraph) {
    Compilation graph = compile_text(text, path.string(), path.parent_path(), options);
    return {kind, std::move(graph.diagnostics), std::move(graph.files)};
  }
  Report report;
  const std::uint32_t source = report.add_source(path.string(), text);
  switch (kind) {
    case FileKind::kOther:
    case FileKind::kGraph: break;
    case FileKind::kLibrary: (void)read_library(source, report); break;
    case FileKind::kKernel: (void)read_kernel(source, report); break;
    case FileKind::kMachine: (void)read_machine(source, report); break;
    case FileKind::kProfile: (void)read_profile(source, report); break;
  }
  return {kind, report.take(), {}};
}

CheckedDescription check_description(const std::string& description) {
  Report report;
  const auto kernel = read_kernel(report.add_text("kernel of the program", description), report, KernelHome::kProgram);
  return {kernel ? kernel->name : std::string(), report.take()};
}

MachineFile read_machine_file(const fs::path& path) {
  Report report;
  const std::uint32_t none = report.add_source(path.string(), "");
  const std::optional<std::string> text = read_file(path, {none, 0, 0, 1}, report);
  MachineFile file;
  if (text) {
    if (auto machine = read_machine(report.add_source(path.string(), *text), report)) {
      file.has_controllers = !machine->open || machine->links_written;
      file.calibration = std::move(machine->calibration);
    }
  }
  if (report.errors() != 0) file.calibration.reset();
  file.diagnostics = report.take();
  return file;
}

Compilation compile_file(const fs::path& graph, const CompileOptions& options) {
  Report files(options.unsaved);
  const std::uint32_t source = files.add_source(graph.string(), "");
  const std::optional<std::string> text = read_file(graph, {source, 0, 0, 1}, files);
  if (!text) return {std::nullopt, {}, files.take()};
  Report report(options.unsaved);
  report.add_source(graph.string(), *text);
  return compile_with(report, graph, graph.parent_path(), options);
}

}  // namespace woa
