// woa verify PLAN: whether a plan's certificate is true.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "compiler/compiler.h"
#include "runtime/plan/plan_file.h"
#include "tools/woa/certificate_report.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

constexpr const char* kAboutVerify =
    "A plan that was compiled with --profile says what its placement comes to and how good that is. This computes all "
    "of\n"
    "it anew from the costs in the plan, without a solver and without a search (docs/placement.md):\n"
    "\n"
    "  - every stage is where the certificate says, and may be there\n"
    "  - no limit of a controller, and no bound that was asked for, is broken\n"
    "  - the placement comes to the value\n"
    "  - no placement comes to less than the bound: the leaves of the proof cover all cases, and each has multipliers "
    "that\n"
    "    show it\n"
    "  - the status says no more: `proved` only where the bound is the value\n"
    "\n"
    "Exit code 0: all of it is so. 1: something is not, or the plan has no certificate.\n"
    "\n"
    "  woa compile graphs/hello.yaml --profile hello.profile.json -o hello.plan\n"
    "  woa verify hello.plan";

struct VerifyArguments {
  std::filesystem::path plan;
  bool json = false;
};

int verify(const VerifyArguments& arguments) {
  const auto plan = read_plan(arguments.plan);
  if (!plan.ok()) return fail(plan.status().with_context(arguments.plan.string()), kFailed, arguments.json);
  if (const Status status = verify_certificate(*plan); !status.ok())
    return fail(status.with_context(arguments.plan.string()), kFailed, arguments.json);
  if (arguments.json) {
    print_json({{"ok", true}, {"graph", plan->graph}, {"certificate", tools::to_json(*plan->certificate)}});
  } else {
    std::printf("%s: true\n  %s\n", arguments.plan.string().c_str(), summary(*plan->certificate).c_str());
  }
  return kDone;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("verify", "Check what a plan says of its placement, without a solver");
  command.footer(kAboutVerify);
  auto arguments = std::make_shared<VerifyArguments>();
  command.add_option("PLAN", arguments->plan, "Compiled plan")->required();
  command.add_flag("--json", arguments->json, "Print one JSON object on stdout");
  command.callback([arguments, &action] { action = [arguments] { return verify(*arguments); }; });
}

}  // namespace woa::tools
