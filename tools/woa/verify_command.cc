// woa verify PLAN: whether what a plan says of its blocks and of its placement is true.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "compiler/compiler.h"
#include "runtime/plan/liveness.h"
#include "runtime/plan/plan_file.h"
#include "tools/woa/certificate_report.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

constexpr const char* kAboutVerify =
    "A plan says how many blocks each edge needs so that nothing deadlocks, and, if it was compiled with --profile, "
    "what\n"
    "its placement comes to and how good that is. This computes all of it anew from what is in the plan, without a "
    "solver\n"
    "and without a search (docs/liveness.md, docs/placement.md):\n"
    "\n"
    "  - no edge of an instance can occupy more blocks than are live on it: by its tags or by\n"
    "    invariants, or the plan says that this is only claimed\n"
    "  - every stage is where the certificate says, and may be there\n"
    "  - no limit of a controller, and no bound that was asked for, is broken\n"
    "  - the placement comes to the value\n"
    "  - no placement comes to less than the bound: the leaves of the proof cover all cases, and each has multipliers "
    "that\n"
    "    show it\n"
    "  - the status says no more: `proved` only where the bound is the value\n"
    "\n"
    "Exit code 0: all of it is so. 1: something is not.\n"
    "\n"
    "  woa compile graphs/hello.yaml --profile hello.profile.json -o hello.plan\n"
    "  woa verify hello.plan";

struct VerifyArguments {
  std::filesystem::path plan;
  bool json = false;
};

// Edges on which one block less stands still for sure.
std::size_t count_least(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.edges.begin(), plan.edges.end(), [&](const EdgePlan& edge) {
    return necessary_blocks(plan, edge) == edge.min_blocks;
  }));
}

Status check(const Plan& plan) {
  WOA_RETURN_IF_ERROR(verify_liveness(plan));
  return plan.certificate ? verify_certificate(plan) : Status();
}

std::size_t count_claimed(const Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.edges.begin(), plan.edges.end(), [](const EdgePlan& edge) { return edge.claimed; }));
}

void print_true(const std::string& file, const Plan& plan) {
  const std::size_t edges = plan.edges.size(), claimed = count_claimed(plan);
  std::printf("%s: true\n  live: %zu edges, %zu proved (%zu invariants), %zu claimed; the least possible on %zu\n",
              file.c_str(), edges, edges - claimed, plan.invariants.size(), claimed, count_least(plan));
  std::printf("  %s\n", plan.certificate ? summary(*plan.certificate).c_str()
                                         : "placed by pins and rules alone: no certificate (compile with --profile)");
}

int verify(const VerifyArguments& arguments) {
  const auto plan = read_plan(arguments.plan);
  if (!plan.ok()) return fail(plan.status().with_context(arguments.plan.string()), kFailed, arguments.json);
  if (const Status status = check(*plan); !status.ok())
    return fail(status.with_context(arguments.plan.string()), kFailed, arguments.json);
  if (!arguments.json) {
    print_true(arguments.plan.string(), *plan);
    return kDone;
  }
  nlohmann::json object{{"ok", true},
                        {"graph", plan->graph},
                        {"liveness",
                         {{"edges", plan->edges.size()},
                          {"claimed", count_claimed(*plan)},
                          {"least", count_least(*plan)},
                          {"invariants", plan->invariants.size()}}}};
  if (plan->certificate) object["certificate"] = tools::to_json(*plan->certificate);
  print_json(object);
  return kDone;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("verify", "Check what a plan says of its blocks and its placement, without a solver");
  command.footer(kAboutVerify);
  auto arguments = std::make_shared<VerifyArguments>();
  command.add_option("PLAN", arguments->plan, "Compiled plan")->required();
  command.add_flag("--json", arguments->json, "Print one JSON object on stdout");
  command.callback([arguments, &action] { action = [arguments] { return verify(*arguments); }; });
}

}  // namespace woa::tools
