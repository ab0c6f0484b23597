// woa doctor: what is here, what is missing or in the way, and the next thing to do.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/woa/commands.h"
#include "tools/woa/diagnosis.h"
#include "tools/woa/failure.h"
#include "tools/woa/kernel_check.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr const char* kAboutDoctor =
    R"(Looks at kernels, devices, libraries, shared memory, limits, ports, the environment and the machine file, and runs
nothing but, with --kernel, that kernel. `absent` is an optional feature that is missing, `FAULT` something that makes runs fail or hides
a device; the line below each says what to do.

Exit code 0: there is no fault. 1: there is.

  woa doctor
  woa doctor --json
  woa doctor --fpga     library, driver, card, shell, xclbin, kernel and cores, each with what a run asks for
  woa doctor --kernel shout/kernel.yaml)";

const char* name_of(Health health) {
  switch (health) {
    case Health::kGood: return "good";
    case Health::kAbsent: return "absent";
    case Health::kFault: return "FAULT";
  }
  return "";
}

void print_findings(const std::vector<Finding>& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.subject.size());
  for (const Finding& finding : findings) {
    std::printf("%-6s  %-*s  %s\n", name_of(finding.health), static_cast<int>(width), finding.subject.c_str(),
                printable_lines(finding.found).c_str());
    if (!finding.asked.empty())
      std::printf("%-6s  %-*s  asked for: %s\n", "", static_cast<int>(width), "", finding.asked.c_str());
    if (!finding.advice.empty())
      std::printf("%-6s  %-*s  fix: %s\n", "", static_cast<int>(width), "", finding.advice.c_str());
  }
}

json findings_json(const std::vector<Finding>& findings) {
  json list = json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"health", finding.health == Health::kFault ? "fault" : name_of(finding.health)},
                    {"found", finding.found},
                    {"fix", finding.advice.empty() ? json(nullptr) : json(finding.advice)}});
    if (!finding.asked.empty()) list.back()["asked"] = finding.asked;
  }
  return list;
}

struct Arguments {
  bool fpga = false, as_json = false;
  std::string kernel;
  std::vector<std::string> params;
};

int doctor(const Arguments& arguments) {
  const auto found = [&]() -> Result<std::vector<Finding>> {
    const ForeignOutput foreign;  // drivers print what they like
    if (!arguments.kernel.empty()) return check_kernel(arguments.kernel, arguments.params);
    return arguments.fpga ? diagnose_fpga() : diagnose();
  }();
  if (!found.ok()) {
    const Status& status = found.status();
    return fail(status.with_context("--kernel"), status.code() == Code::kNotFound ? kUsage : code_before_run(status),
                arguments.as_json);
  }
  const std::vector<Finding>& findings = *found;
  const bool ok = std::none_of(findings.begin(), findings.end(),
                               [](const Finding& finding) { return finding.health == Health::kFault; });
  if (arguments.as_json) {
    print_json({{"ok", ok}, {"findings", findings_json(findings)}});
  } else {
    print_findings(findings);
  }
  return ok ? kDone : kFailed;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("doctor", "Say what is missing or in the way on this machine, and what to do");
  command.footer(kAboutDoctor);
  auto arguments = std::make_shared<Arguments>();
  command.add_flag("--json", arguments->as_json, "Print one JSON object on stdout");
  CLI::Option* const fpga = command.add_flag(
      "--fpga", arguments->fpga, "Look at what a run on an FPGA card needs, step by step, and at nothing else");
  CLI::Option* const kernel =
      command
          .add_option("--kernel", arguments->kernel,
                      "Run a kernel (a name, or a kernel.yaml) with inputs of several sizes, and say whether it stays "
                      "within its memory")
          ->type_name("KERNEL")
          ->excludes(fpga);
  command.add_option("--param", arguments->params, "Set a parameter of that kernel; may be repeated")
      ->type_name("NAME=VALUE")
      ->take_all()
      ->allow_extra_args(false)
      ->needs(kernel);
  command.callback([arguments, &action] { action = [arguments] { return doctor(*arguments); }; });
}

}  // namespace woa::tools
