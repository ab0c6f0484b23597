#include "tools/woa/load_plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "library/environment.h"
#include "library/plan_options.h"
#include "runtime/base/text.h"
#include "runtime/node/hosted_controller.h"
#include "tools/woa/commands.h"
#include "tools/woa/diagnostics.h"
#include "tools/woa/failure.h"
#include "tools/woa/process.h"
#include "tools/woa/progress.h"

namespace woa::tools {
namespace {

std::vector<WrittenFile> all_written(const GraphOptions& options) {
  std::vector<WrittenFile> files = given({{"--sarif", options.sarif}});
  files.insert(files.end(), options.written_files.begin(), options.written_files.end());
  return files;
}

// The files that the command line names.
std::vector<ReadFile> read_files(const GraphOptions& options) {
  return {{"GRAPH", options.file}, {"--machine", options.machine}, {"--profile", options.profile}};
}

// Without a machine file a plan may be for another machine, too: devices beyond those here are no error.
void warn_of_absent_devices(const Plan& plan) {
  const BackendRegistry backends = all_backends();
  for (const ControllerPlan& controller : plan.controllers) {
    const BackendFactory* const backend = backends.find(controller.backend);
    const std::uint32_t device = device_of(plan, controller);
    if (backend == nullptr || controller.kind == ControllerKind::kCpu || device == 0) continue;
    const ForeignOutput foreign;  // drivers print what they like
    if (const auto devices = backend->probe(); devices.ok() && device >= devices->size())
      print_warning("'" + controller.name + "' would be device number " + std::to_string(device + 1) + " of back-end " +
                    controller.backend + ", and " + counted(devices->size(), "device") +
                    (devices->size() == 1 ? " is" : " are") + " here (`woa devices`): the plan cannot run here");
  }
}

LoadedPlan load_and_wait(const GraphOptions& options) {
  PlanOptions quiet = options;
  quiet.warn = [&options](const std::string& text) {
    if (!options.quiet) print_warning_once(text);
  };
  std::optional<Waiting> waiting;
  if (!options.profile.empty())
    waiting.emplace("looking for a placement for " + options.model.value_or(options.goal.model),
                    std::chrono::nanoseconds(options.placement_limit_ns));
  return load_plan(quiet);
}

}  // namespace

void add_file_options(CLI::App& command, GraphOptions& options, const std::string& what) {
  command.add_option(what, options.file, what == "GRAPH|PLAN" ? "Graph (YAML) or compiled plan" : "Graph (YAML)")
      ->required();
  add_param_option(command, options);
  command.add_flag("--json", options.json, "Print one JSON object on stdout");
}

void add_graph_options(CLI::App& command, GraphOptions& options, const std::string& what) {
  add_file_options(command, options, what);
  add_machine_options(command, options);
}

void add_sarif_option(CLI::App& command, GraphOptions& options) {
  command.add_option("--sarif", options.sarif, "Also write the problems as SARIF 2.1.0, for code hosts and editors")
      ->type_name("FILE");
}

Loaded load(const GraphOptions& options) {
  const auto failed = [&](const Status& status, int code) {
    return Loaded{std::nullopt, fail(status, code, options.json)};
  };
  if (const Status kept = check_kept(all_written(options), read_files(options)); !kept.ok())
    return failed(kept, kUsage);
  LoadedPlan loaded = load_and_wait(options);
  if (const Status kept = check_kept(all_written(options), loaded.read); !kept.ok()) return failed(kept, kUsage);
  if (loaded.compiled && !options.sarif.empty())
    return failed({Code::kInvalid, "--sarif: a plan has no places to report; give the graph"}, kUsage);
  if (!options.quiet) print_diagnostics(loaded.diagnostics);
  if (!options.sarif.empty()) {
    if (const Status written = write_sarif(loaded.diagnostics, options.sarif); !written.ok())
      return failed(written, kFailed);
  }
  const bool graph_has_errors = loaded.graph_has_errors();
  Loaded out{std::move(loaded.plan), kDone, std::move(loaded.facts), std::move(loaded.diagnostics), {}};
  if (out.plan) {
    if (options.anywhere && options.machine.empty() && !options.quiet) warn_of_absent_devices(*out.plan);
    out.read = read_files(options);
    std::ranges::copy(loaded.read, std::back_inserter(out.read));
    return out;
  }
  out.exit_code = kFailed;
  if (!graph_has_errors) {
    out.exit_code = fail(loaded.status, loaded.bad_option ? kUsage : kFailed, options.json);
  } else if (options.json && !options.quiet) {
    print_json({{"ok", false}, {"diagnostics", to_json(out.diagnostics)}});
  }
  return out;
}

}  // namespace woa::tools
