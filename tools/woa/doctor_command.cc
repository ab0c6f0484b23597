// woa doctor: what is here, what is missing or in the way, and the next thing to do.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "tools/woa/commands.h"
#include "tools/woa/diagnosis.h"
#include "tools/woa/failure.h"
#include "tools/woa/process.h"

namespace woa::tools {
namespace {

using nlohmann::json;

constexpr const char* kAboutDoctor =
    R"(Looks at kernels, devices, libraries, shared memory, limits, ports, the environment and the machine file, and runs
nothing. `absent` is an optional feature that is missing, `FAULT` something that makes runs fail or hides
a device; the line below each says what to do.

Exit code 0: there is no fault. 1: there is.

  woa doctor
  woa doctor --json
  woa doctor --fpga     library, driver, card, shell, xclbin, kernel and cores, each with what a run asks for)";

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

int doctor(bool fpga, bool as_json) {
  const std::vector<Finding> findings = [&] {
    const ForeignOutput foreign;  // drivers print what they like
    return fpga ? diagnose_fpga() : diagnose();
  }();
  const bool ok = std::none_of(findings.begin(), findings.end(),
                               [](const Finding& finding) { return finding.health == Health::kFault; });
  if (as_json) {
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
  auto as_json = std::make_shared<bool>(false), fpga = std::make_shared<bool>(false);
  command.add_flag("--json", *as_json, "Print one JSON object on stdout");
  command.add_flag("--fpga", *fpga, "Look at what a run on an FPGA card needs, step by step, and at nothing else");
  command.callback([=, &action] { action = [=] { return doctor(*fpga, *as_json); }; });
}

}  // namespace woa::tools
