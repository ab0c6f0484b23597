// woa verify PLAN: checks that a plan is live, and that its claims about its placement are true.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "compiler/compiler.h"
#include "library/certificate_report.h"
#include "runtime/base/text.h"
#include "runtime/call_models/call_model.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

constexpr const char* kAboutVerify = R"(Proves from the plan alone that every instance ends (docs/liveness.md):

  - joins get tokens of the same choices, merges one at a time, loops end, every course ends at the sink
  - tags keep firings apart
  - every edge has at least the blocks that one instance can occupy at once: so the compiler's analysis says, and so
    tags and invariants show, unless the plan says that it is only claimed
  - the call model that it is to run under can run it

A plan that was compiled with --profile also has the value of its placement and a bound. `woa verify` recomputes
all of it from the plan's costs, without a solver or a search (docs/placement.md):

  - every stage is where the certificate says, and may be there
  - no limit of a controller, and no bound that was asked for, is broken
  - the placement comes to the value
  - no placement comes to less than the bound: the leaves of the proof cover all cases, and each has multipliers that
    show it
  - the status says no more: `proved` only where the bound is the value

Exit code 0: all claims hold. 1: one does not.

  woa compile graphs/hello.yaml --profile hello.profile.json -o hello.plan
  woa verify hello.plan)";

struct VerifyArguments {
  std::filesystem::path plan;
  bool json = false;
};

// Blocks of all edges: `live` for one instance, `used` in all.
std::pair<std::uint64_t, std::uint64_t> blocks_of(const Plan& plan) {
  std::uint64_t live = 0, used = 0;
  for (const EdgePlan& edge : plan.edges) {
    live += edge.min_blocks;
    used += edge.blocks;
  }
  return {live, used};
}

// Edges on which one block less certainly deadlocks.
std::size_t count_least(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(plan.edges.begin(), plan.edges.end(), [&](const EdgePlan& edge) {
    return necessary_blocks(plan, edge) == edge.min_blocks;
  }));
}

Status check(const CertifiedPlan& plan) {
  WOA_RETURN_IF_ERROR(verify_liveness(plan));
  if (const auto routes = rewrite(plan, plan.model); !routes.ok())
    return routes.status().with_context("the call model that the plan is for");
  return plan.certificate ? verify_certificate(plan) : Status();
}

std::size_t count_claimed(const Plan& plan) {
  return static_cast<std::size_t>(
      std::count_if(plan.edges.begin(), plan.edges.end(), [](const EdgePlan& edge) { return edge.claimed; }));
}

void print_verified(const std::string& name, const CertifiedPlan& plan) {
  const auto [live, used] = blocks_of(plan);
  const std::size_t edges = plan.edges.size(), claimed = count_claimed(plan);
  std::printf("%s: true\n", name.c_str());
  std::printf("  live: %s, %zu proved, %zu claimed; the least possible on %zu\n", counted(edges, "edge").c_str(),
              edges - claimed, claimed, count_least(plan));
  std::printf("  blocks: %llu, %llu of them for the oldest instance\n", static_cast<unsigned long long>(used),
              static_cast<unsigned long long>(live));
  std::printf("  %s\n", plan.certificate ? summary(*plan.certificate).c_str()
                                         : "placed by pins and rules alone, of which nothing is claimed");
}

int verify(const VerifyArguments& arguments) {
  const auto plan = read_certified_plan(arguments.plan);
  if (!plan.ok()) return fail(plan.status(), kFailed, arguments.json);
  if (const Status status = check(*plan); !status.ok())
    return fail(status.with_context(arguments.plan.string()), kFailed, arguments.json);
  if (!arguments.json) {
    print_verified(arguments.plan.string(), *plan);
    return kDone;
  }
  const auto [live, used] = blocks_of(*plan);
  nlohmann::json object{{"ok", true},
                        {"graph", plan->graph},
                        {"modelled", modelled_stages(*plan)},
                        {"liveness",
                         {{"edges", plan->edges.size()},
                          {"live", live},
                          {"used", used},
                          {"claimed", count_claimed(*plan)},
                          {"least", count_least(*plan)},
                          {"invariants", plan->invariants.size()}}}};
  if (plan->certificate) object["certificate"] = woa::to_json(*plan->certificate);
  print_json(object);
  return kDone;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("verify", "Verify a plan's liveness and placement certificate, without a solver");
  command.footer(kAboutVerify);
  auto arguments = std::make_shared<VerifyArguments>();
  command.add_option("PLAN", arguments->plan, "Compiled plan")->required();
  command.add_flag("--json", arguments->json, "Print one JSON object on stdout");
  command.callback([arguments, &action] { action = [arguments] { return verify(*arguments); }; });
}

}  // namespace woa::tools
