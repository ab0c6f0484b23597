#include "library/options.h"

#include <algorithm>
#include <string>
#include <vector>

#include "library/option_names.h"
#include "library/option_values.h"
#include "library/plan_options.h"
#include "runtime/base/text.h"

namespace woa {
namespace {

Status unknown_option(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back(option->get_lnames().front());
  const std::string like = nearest(name, names);
  return {Code::kInvalid, "there is no option '" + name + "'" + (like.empty() ? "" : "; did you mean '" + like + "'?") +
                              " (woa_options() lists them)"};
}

}  // namespace

void add_compile_options(CLI::App& app, PlanOptions& options) {
  add_param_option(app, options);
  add_machine_options(app, options);
  add_nodes_option(app, options);
  add_flow_options(app, options);
  add_placement_options(app, options);
  add_model_option(app, options);
  app.add_option("--transport", options.transport,
                 "Between controllers (loopback, shm, ofi): a machine file may know its inline limit")
      ->check(one_of({"loopback", "shm", "ofi"}))
      ->capture_default_str();
  app.add_flag("--anywhere", options.anywhere, "It may run elsewhere: a kernel that is missing here is a warning");
  app.add_flag("--written", options.written, "It goes into a file: the plan's proofs must still hold");
}

void add_start_options(CLI::App& app, StartOptions& options) {
  options.run.local.processes = "one";
  add_run_options(app, options.run);
  app.add_option("--workers", options.workers,
                 "Firings at once of each cpu controller (1-1024; default: the plan's, whose window stays)")
      ->transform(within(1, kMaxWorkers));
  app.add_option(
         "--program-kernels", options.run.program_kernels,
         "Kernels of the program: threads run them; processes (of worker-command) do; or these run all but brief "
         "firings (long)")
      ->check(one_of({"threads", "processes", "long"}))
      ->capture_default_str();
  app.add_option("--worker-command", options.run.worker.command,
                 "The program that calls woa_worker_serve(), then its arguments, one at a time")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--worker-output", options.run.worker.output, "A descriptor for the standard output of workers");
  app.add_option("--worker-errors", options.run.worker.errors, "A descriptor for their standard error");
  app.add_option_function<std::string>(
         "--thread", [&options](const std::string& whose) { options.own_thread = whose == "own"; },
         "Whose thread drives the run: caller or own")
      ->check(one_of({"caller", "own"}))
      ->default_str("caller");
}

Status parse_options(CLI::App& app, std::span<const woa_option> given) {
  std::vector<std::string> arguments;
  if (given.data() == nullptr && !given.empty())
    return {Code::kInvalid, counted(given.size(), "option") + " announced, but their array is null"};
  for (const woa_option& option : given) {
    if (option.name == nullptr || option.value == nullptr)
      return {Code::kInvalid, "option number " + std::to_string(&option - given.data()) + " has no name or no value"};
    const std::string name = option.name;
    if (app.get_option_no_throw("--" + name) == nullptr) return unknown_option(app, name);
    arguments.push_back("--" + name + "=" + option.value);
  }
  std::ranges::reverse(arguments);  // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return {Code::kInvalid, error.what()};
  }
  return {};
}

nlohmann::json list_options(const CLI::App& app) {
  nlohmann::json list = nlohmann::json::array();
  for (const CLI::Option* option : app.get_options()) {
    const bool flag = option->get_items_expected_max() == 0;
    list.push_back({{"name", option->get_lnames().front()},
                    {"type", flag ? "true" : option->get_type_name()},
                    {"description", by_option_names(option->get_description())},
                    {"default", option->get_default_str()},
                    {"repeated", option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll}});
  }
  return list;
}

}  // namespace woa
