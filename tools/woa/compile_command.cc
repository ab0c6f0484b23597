// woa compile GRAPH: a plan file, pictures of it, or both.
#include <cstdio>
#include <memory>

#include "library/certificate_report.h"
#include "library/plan_options.h"
#include "runtime/call_models/call_model.h"
#include "runtime/plan/plan_file.h"
#include "tools/woa/commands.h"
#include "tools/woa/diagnostics.h"
#include "tools/woa/drawing.h"
#include "tools/woa/failure.h"
#include "tools/woa/load_plan.h"

namespace woa::tools {
namespace {

struct CompileArguments {
  GraphOptions graph;
  DrawingOptions drawing;
  std::string output;
};

void print_placement(const Plan& plan) {
  for (std::size_t s = 2; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.role != StageRole::kKernel) continue;
    std::printf("  %-16s %-18s %-8s %s\n", stage.name.c_str(), stage.kernel.c_str(), stage.variant.kind.c_str(),
                plan.controllers[stage.controller].name.c_str());
  }
}

nlohmann::json to_json(const CertifiedPlan& plan, const std::vector<Diagnostic>& warnings) {
  nlohmann::json placement = nlohmann::json::object();
  for (const StagePlan& stage : plan.stages) {
    if (stage.role == StageRole::kKernel) placement[stage.name] = plan.controllers[stage.controller].name;
  }
  nlohmann::json object{{"ok", true},
                        {"graph", plan.graph},
                        {"model", plan.model},
                        {"window", plan.window},
                        {"placement", std::move(placement)},
                        {"modelled", modelled_stages(plan)},
                        {"diagnostics", tools::to_json(warnings)}};
  if (plan.certificate) object["certificate"] = woa::to_json(*plan.certificate);
  return object;
}

// The picture shows what runs. The file holds the plan without the call model's relays: what `woa verify` proves of the
// graph holds for the routes of every call model.
Status write_files(const CompileArguments& arguments, const CertifiedPlan& plan, const CertifiedPlan& calls) {
  WOA_RETURN_IF_ERROR(draw(calls, arguments.drawing));
  return arguments.output.empty() ? Status() : write_plan(plan, arguments.output);
}

int compile(const CompileArguments& arguments) {
  GraphOptions options = arguments.graph;
  options.written = !arguments.output.empty();
  options.anywhere = true;
  options.written_files = drawn_files(arguments.drawing);
  if (options.written) options.written_files.push_back({"-o", arguments.output});
  Loaded loaded = load(options);
  if (!loaded.plan) return loaded.exit_code;
  CertifiedPlan& plan = *loaded.plan;
  const auto calls = rewrite(plan, plan.model);
  if (!calls.ok()) return fail(calls.status(), kFailed, arguments.graph.json);
  if (Status status = write_files(arguments, plan, with_proofs(*calls, plan)); !status.ok())
    return fail(status, kFailed, arguments.graph.json);
  if (arguments.graph.json) {
    print_json(to_json(plan, loaded.diagnostics));
  } else {
    std::printf("%s (%s, window %u)\n", plan.graph.c_str(), plan.model.c_str(), plan.window);
    if (plan.certificate) std::printf("%s\n", summary(*plan.certificate).c_str());
    print_placement(plan);
  }
  return kDone;
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("compile", "Compile a graph to a plan");
  auto arguments = std::make_shared<CompileArguments>();
  add_graph_options(command, arguments->graph, "GRAPH|PLAN");
  add_sarif_option(command, arguments->graph);
  add_nodes_option(command, arguments->graph);
  add_flow_options(command, arguments->graph);
  add_placement_options(command, arguments->graph);
  add_model_option(command, arguments->graph);
  add_drawing_options(command, arguments->drawing);
  command.add_option("-o,--output", arguments->output, "Write the plan")->type_name("FILE");
  command.callback([arguments, &action] { action = [arguments] { return compile(*arguments); }; });
}

}  // namespace woa::tools
