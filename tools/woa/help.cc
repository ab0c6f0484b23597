#include "tools/woa/help.h"

#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/woa/command_line.h"
#include "tools/woa/failure.h"

namespace woa::tools {
namespace {

constexpr const char* kFiles = "Inputs, parameters and outputs";
constexpr const char* kPlacement = "Machine and placement";
constexpr const char* kFlow = "Call model and flow";
constexpr const char* kBetween = "Processes and transports";
constexpr const char* kHosts = "Nodes on other hosts";
constexpr const char* kReports = "Reports";

// An option's name has the same group in all commands. Names that are missing here stand under "Options".
const std::map<std::string, const char*> kGroups{
    {"--in", kFiles},
    {"--out", kFiles},
    {"--frames", kFiles},
    {"--param", kFiles},
    {"--instances", kFiles},
    {"--output", kFiles},
    {"--machine", kPlacement},
    {"--profile", kPlacement},
    {"--objective", kPlacement},
    {"--copies", kPlacement},
    {"--max-latency", kPlacement},
    {"--max-period", kPlacement},
    {"--max-price", kPlacement},
    {"--max-power", kPlacement},
    {"--placement-limit", kPlacement},
    {"--replicas", kPlacement},
    {"--workers", kPlacement},
    {"--cores", kPlacement},
    {"--reasons-limit", kPlacement},
    {"--model", kFlow},
    {"--window", kFlow},
    {"--deadline", kFlow},
    {"--memory", kFlow},
    {"--waiting", kFlow},
    {"--start-limit", kFlow},
    {"--end-limit", kFlow},
    {"--buffers", kFlow},
    {"--processes", kBetween},
    {"--transport", kBetween},
    {"--provider", kBetween},
    {"--interface", kBetween},
    {"--lane", kBetween},
    {"--fan-out", kBetween},
    {"--no-payload-crc", kBetween},
    {"--nodes", kHosts},
    {"--listen", kHosts},
    {"--secret", kHosts},
    {"--port", kHosts},
    {"--wait", kHosts},
    {"--join", kHosts},
    {"--controller", kHosts},
    {"--isolate", kFlow},
    {"--kernel-limit", kFlow},
    {"--guard", kReports},
    {"--json", kReports},
    {"--trace", kReports},
    {"--trace-limit", kReports},
    {"--report", kReports},
    {"--sarif", kReports},
    {"--dot", kReports},
    {"--svg", kReports},
};

// Examples for commands whose text does not end with its own.
const std::map<std::string, const char*> kExamples{
    {"check",
     "  woa check graphs/hello.yaml\n"
     "  woa check graphs/hello.yaml --json                   the problems as one object\n"
     "  woa check graphs/hello.yaml --sarif hello.sarif      for code hosts and editors"},
    {"lsp", "  woa lsp                                              an editor starts it, and speaks with it"},
    {"compile",
     "  woa compile graphs/hello.yaml -o hello.plan\n"
     "  woa compile graphs/hello.yaml --svg hello.svg        a picture\n"
     "  woa compile graphs/hello.yaml --profile hello.profile.json -o hello.plan"},
    {"run",
     "  woa run graphs/hello.yaml --in text=README.md --out copy=out.txt\n"
     "  woa run graphs/thumbnails.yaml --in photo=PHOTOS --out thumb=THUMBS/%n.jpg\n"
     "                                                       a folder: an instance for each file\n"
     "  seq 3 | woa run graphs/hello.yaml --in text=- --out copy=- --frames lines\n"
     "                                                       a pipe: an instance for each line\n"
     "  woa run graphs/hello.yaml --in text=README.md --model rpc-hub --json\n"
     "  woa run graphs/hello.yaml --in text=README.md --instances 100 --trace trace.json\n"
     "  woa run graphs/hello.yaml --in text=README.md --instances 100 --report run.html\n"
     "  woa run graphs/hello.yaml --in text=README.md --nodes 2 --listen eth0 --secret run.secret"},
    {"devices",
     "  woa devices\n"
     "  woa devices --json                                   with ports, parameters and variants of each kernel"},
    {"node", "  woa node --join 10.0.0.1:40123 --secret run.secret"},
    {"help",
     "  woa help run\n"
     "  woa help bench hop"},
};

// Commands that load kernels.
constexpr const char* kLoadsCode =
    "It loads the kernels that the graph or plan names, and runs their code with your rights: use files that you "
    "trust.";
const std::set<std::string, std::less<>> kLoading{"run", "profile", "compare", "node"};

void arrange(CLI::App& command) {
  for (CLI::Option* option : command.get_options())
    if (const auto found = kGroups.find(option->get_name()); found != kGroups.end()) option->group(found->second);
  const auto example = kExamples.find(command.get_name());
  std::string text = kLoading.contains(command.get_name()) ? kLoadsCode : "";
  for (const std::string& more : {command.get_footer(), std::string(example == kExamples.end() ? "" : example->second)})
    if (!more.empty()) text += (text.empty() ? "" : "\n\n") + more;
  command.footer(text);
}

int print_help(const CLI::App& app, const std::vector<std::string>& names) {
  if (!names.empty() && names.front() == "bench") {  // a program of its own, and so are its commands
    std::vector<std::string> arguments(names.begin() + 1, names.end());
    arguments.emplace_back("--help");
    return become_bench(std::move(arguments));
  }
  const CLI::App* command = &app;
  std::string of = "woa";
  for (const std::string& name : names) {
    const CLI::App* const found = find_command(*command, name);
    if (found == nullptr) return fail({Code::kInvalid, unknown_command(*command, name)}, kUsage, false);
    of += " " + found->get_name();
    command = found;
  }
  // Not App::help(): the program's gives the text of the command that was called, which is `help`.
  std::fputs(app.get_formatter()->make_help(command, of, CLI::AppFormatMode::Normal).c_str(), stdout);
  return kDone;
}

}  // namespace

void add_help(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("help", "Print the help of a command, as its --help does");
  auto names = std::make_shared<std::vector<std::string>>();
  command.add_option("COMMAND", *names, "The command, and a command of it; none: woa itself");
  command.callback([names, &app, &action] { action = [names, &app] { return print_help(app, *names); }; });
  for (CLI::App* each : app.get_subcommands({})) arrange(*each);
}

}  // namespace woa::tools
