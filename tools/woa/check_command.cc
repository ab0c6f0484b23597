// woa check GRAPH: every problem of a graph in one pass.
#include <cstdio>
#include <memory>

#include "runtime/base/text.h"
#include "tools/woa/commands.h"
#include "tools/woa/diagnostics.h"
#include "tools/woa/failure.h"
#include "tools/woa/load_plan.h"

namespace woa::tools {
namespace {

int check(GraphOptions options) {
  options.anywhere = true;
  const Loaded loaded = load(options);
  if (!loaded.plan) return loaded.exit_code;
  if (options.json) {
    nlohmann::json object{{"ok", true}, {"graph", loaded.plan->graph}, {"diagnostics", to_json(loaded.diagnostics)}};
    if (!loaded.facts.hash.empty()) object["graph_hash"] = loaded.facts.hash;
    print_json(object);
  } else {
    std::printf("%s: ok: %s on %s\n", loaded.plan->graph.c_str(),
                counted(loaded.plan->stages.size() - 2, "stage").c_str(),
                counted(loaded.plan->controllers.size() - 1, "controller").c_str());
  }
  return kDone;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("check", "Check a graph: all problems in one pass, with place and fix");
  auto options = std::make_shared<GraphOptions>();
  add_graph_options(command, *options, "GRAPH|PLAN");
  add_sarif_option(command, *options);
  command.callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace woa::tools
