#include "library/cores.h"

#include <algorithm>
#include <limits>

#include "runtime/base/processor.h"
#include "runtime/base/scalar.h"

namespace woa {
namespace {

std::string pair_of(const std::string& controller, int processor) {
  return controller + "=" + std::to_string(processor);
}

Status refuse(const std::string& pair, const std::string& why) {
  return {Code::kInvalid, "expected CONTROLLER=PROCESSOR pairs such as host=0,cpu:1=1, got '" + pair + "': " + why};
}

Status add_pair(const std::string& pair, Cores& cores) {
  const std::size_t at = pair.find('=');
  if (at == std::string::npos) return refuse(pair, "there is no '='");
  const std::string controller = pair.substr(0, at), number = pair.substr(at + 1);
  if (controller.empty()) return refuse(pair, "the controller's name is missing");
  const auto processor = parse_whole(number);
  if (!processor || *processor > std::uint64_t{std::numeric_limits<int>::max()})
    return refuse(pair, "'" + number + "' is not the number of a processor");
  if (!cores.emplace(controller, static_cast<int>(*processor)).second)
    return {Code::kInvalid, "'" + controller + "' is given twice; leave one of its processors out"};
  return {};
}

int processor_of(const Cores& cores, const std::string& controller) {
  const auto found = cores.find(controller);
  return found == cores.end() ? kNoProcessor : found->second;
}

bool has(const Plan& plan, const std::string& controller) {
  return std::ranges::find(plan.controllers, controller, &ControllerPlan::name) != plan.controllers.end();
}

}  // namespace

Result<Cores> parse_cores(const std::string& text) {
  Cores cores;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    WOA_RETURN_IF_ERROR(add_pair(text.substr(begin, end - begin), cores));
    begin = end + 1;
  }
  return cores;
}

CLI::Option* add_cores_option(CLI::App& command, Cores& cores, const std::string& about) {
  return command
      .add_option_function<std::string>(
          "--cores",
          [&cores](const std::string& text) {
            auto parsed = parse_cores(text);
            if (!parsed.ok()) throw CLI::ValidationError("--cores", parsed.status().message());
            cores = std::move(*parsed);
          },
          about)
      ->type_name("CONTROLLER=N,...");
}

int host_processor(const Cores& cores) { return processor_of(cores, "host"); }

std::vector<int> processors_of(const Cores& cores, const Plan& plan) {
  std::vector<int> processors;
  if (cores.empty()) return processors;
  for (const ControllerPlan& controller : plan.controllers) processors.push_back(processor_of(cores, controller.name));
  return processors;
}

Status check_controllers(const Cores& cores, const std::vector<const Plan*>& plans) {
  for (const auto& [name, processor] : cores) {
    const std::string& controller = name;  // which lambdas may name
    if (std::ranges::any_of(plans, [&](const Plan* plan) { return has(*plan, controller); })) continue;
    std::vector<std::string> names;
    for (const Plan* plan : plans)
      for (const ControllerPlan& each : plan->controllers)
        if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
    std::string list;
    for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
    return {Code::kInvalid, "--cores " + pair_of(controller, processor) + ": the plan has no controller '" +
                                controller + "'; it has " + list};
  }
  return {};
}

Status check_processors(const Cores& cores, const Plan& plan, const JoinedNodes& joined) {
  for (const auto& [name, processor] : cores) {
    const std::string& controller = name;
    const bool elsewhere =
        std::ranges::any_of(joined, [&](const auto& node) { return plan.controllers[node.first].name == controller; });
    if (elsewhere) continue;
    if (const Status status = check_processor(processor); !status.ok())
      return {Code::kUnavailable, "--cores " + pair_of(controller, processor) + ": " + status.message()};
  }
  return {};
}

}  // namespace woa
