// woa profile GRAPH: runs every stage on every kind of controller that can run it here, and writes down the times.
#include <cstdio>
#include <memory>

#include "library/environment.h"
#include "library/option_values.h"
#include "runtime/base/file.h"
#include "tools/woa/commands.h"
#include "tools/woa/failure.h"
#include "tools/woa/profiler.h"
#include "tools/woa/run_files.h"

namespace woa::tools {
namespace {

constexpr const char* kAboutProfile =
    R"(Runs the graph once for each kind of controller, one instance at a time, with every stage on that kind whose kernel
has a variant for it (its `on` is left out of account) and the others on a cpu; then cpu controllers with several
workers once more, with many instances in flight. The profile has:

  stages   how often each fires, and what a firing takes on each kind: median, MAD, samples, outliers, and a line
           over its size where the inputs have several (a folder: one instance per file)
  edges    tokens per instance and bytes per token, so how often branches are taken and loops turn

A simulated FPGA counts cycles; they become time at its kernel's clock. An unmeasured stage has the reason and
the fix. `woa compile`, `check`, `run`, `explain` and `compare` take it with --profile; it
is of this graph only. docs/profile.md has the format.

  woa profile graphs/hello.yaml --in text=README.md -o hello.profile.json)";

struct ProfileArguments : ProfileRequest {
  std::string output;
};

int profile(ProfileArguments arguments) {
  arguments.graph.written_files = given({{"-o", arguments.output}});
  if (const Status status = arguments.output.empty() ? Status() : check_writable(arguments.output); !status.ok())
    return fail(status, kFailed, arguments.graph.json);
  const BackendRegistry backends = all_backends();
  const Profiled profiled = profile_graph(arguments, backends);
  if (!profiled.profile) return profiled.exit_code;
  nlohmann::ordered_json result = to_json(*profiled.profile);
  if (!arguments.output.empty()) {
    if (Status status = write_profile(arguments.output, result); !status.ok())
      return fail(status, kFailed, arguments.graph.json);
  }
  if (arguments.graph.json) {
    nlohmann::json object(result);
    object["ok"] = true;
    print_json(object);
  } else {
    print_profile(result);
    if (!arguments.output.empty()) std::printf("written to %s\n", arguments.output.c_str());
  }
  return kDone;
}

}  // namespace

void add_profile(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("profile", "Measure the stages of a graph on every kind of controller here");
  command.footer(kAboutProfile);
  auto arguments = std::make_shared<ProfileArguments>();
  add_file_options(command, arguments->graph, "GRAPH");
  add_input_option(command, arguments->in);
  command.add_option("-o,--output", arguments->output, "Write the profile")->type_name("FILE");
  command.add_option("--repetitions", arguments->repetitions, "Repetitions of each input, after one uncounted run")
      ->transform(positive())
      ->capture_default_str();
  command.add_option("--seconds", arguments->seconds, "Time limit of each run; three repetitions at least")
      ->transform(positive())
      ->capture_default_str();
  add_processes_option(command, arguments->local);
  add_limit_options(command, arguments->local);
  command.callback([arguments, &action] { action = [arguments] { return profile(*arguments); }; });
}

}  // namespace woa::tools
