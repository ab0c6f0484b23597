// woa compile GRAPH: a plan file, a picture of it, or both.
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "compiler/compiler.h"
#include "runtime/plan/plan_file.h"
#include "runtime/rpc/call_model.h"
#include "tools/woa/commands.h"
#include "tools/woa/load_plan.h"

namespace woa::tools {
namespace {

struct CompileArguments {
  GraphOptions graph;
  std::string model = "woa", dot, output;
};

int fail(const Status& status) {
  std::fprintf(stderr, "woa: error[%s]: %s\n", std::string(to_string(status.code())).c_str(), status.message().c_str());
  return kFailed;
}

void print_placement(const Plan& plan) {
  for (std::size_t s = 2; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.role != StageRole::kKernel) continue;
    std::printf("  %-16s %-18s %-8s %s\n", stage.name.c_str(), stage.kernel.c_str(), stage.variant.kind.c_str(),
                plan.controllers[stage.controller].name.c_str());
  }
}

int compile(const CompileArguments& arguments) {
  Loaded loaded = load_plan(arguments.graph);
  if (!loaded.plan) return loaded.exit_code;
  auto plan = rewrite(*loaded.plan, arguments.model);
  if (!plan.ok()) return fail(plan.status());
  if (!arguments.dot.empty()) {
    std::ofstream file(arguments.dot);
    file << to_dot(*plan);
    if (!file.flush()) return fail({Code::kUnavailable, "cannot write '" + arguments.dot + "'"});
  }
  if (!arguments.output.empty()) {
    if (Status status = write_plan(*plan, arguments.output); !status.ok()) return fail(status);
  }
  if (arguments.graph.json) {
    nlohmann::json placement = nlohmann::json::object();
    for (const StagePlan& stage : plan->stages) {
      if (stage.role == StageRole::kKernel) placement[stage.name] = plan->controllers[stage.controller].name;
    }
    std::printf("%s\n", nlohmann::json{{"ok", true},
                                       {"graph", plan->graph},
                                       {"model", plan->model},
                                       {"window", plan->window},
                                       {"placement", placement}}
                            .dump(2)
                            .c_str());
  } else {
    std::printf("%s (%s, window %u)\n", plan->graph.c_str(), plan->model.c_str(), plan->window);
    print_placement(*plan);
  }
  return kDone;
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("compile", "Compile a graph to a plan");
  auto arguments = std::make_shared<CompileArguments>();
  add_graph_options(command, arguments->graph, "GRAPH");
  add_flow_options(command, arguments->graph);
  command.add_option("--model", arguments->model, "Call model: woa or rpc-hub")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kCallModels), std::end(kCallModels))))
      ->capture_default_str();
  command.add_option("--dot", arguments->dot, "Write the plan as a Graphviz picture");
  command.add_option("-o,--output", arguments->output, "Write the plan");
  command.callback([arguments, &action] { action = [arguments] { return compile(*arguments); }; });
}

}  // namespace woa::tools
