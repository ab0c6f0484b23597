#include "library/cores.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "runtime/base/processor.h"
#include "runtime/base/scalar.h"

namespace woa {
namespace {

constexpr int kMostInRange = 4096;

std::string pair_of(const std::string& controller, int processor) {
  return controller + "=" + std::to_string(processor);
}

// Reads `host=0,cpu:1=1-3,5` from left to right. A part without '=' goes on with the processors of the one before.
class CoresReader {
 public:
  explicit CoresReader(Cores& cores) : cores_(cores) {}

  Status add(const std::string& part) {
    const std::size_t at = part.find('=');
    if (at == std::string::npos) {
      if (controller_.empty() || part.empty() || part.find_first_not_of("0123456789-") != std::string::npos)
        return refuse(part, "there is no '='");
      return add_processors(part, part);
    }
    controller_ = part.substr(0, at);
    if (controller_.empty()) return refuse(part, "the controller's name is missing");
    if (cores_.contains(controller_))
      return {Code::kInvalid,
              "'" + controller_ + "' is given twice; write its processors as one list: " + controller_ + "=0-3,5"};
    return add_processors(part, part.substr(at + 1));
  }

 private:
  static Status refuse(const std::string& part, const std::string& why) {
    return {Code::kInvalid, "expected CONTROLLER=PROCESSORS such as host=0,cpu:1=1-3,5, got '" + part + "': " + why};
  }

  // `numbers`: one, or a range.
  Status add_processors(const std::string& part, const std::string& numbers) {
    const std::size_t dash = numbers.find('-', 1);
    const auto first = number_of(numbers.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number_of(numbers.substr(dash + 1));
    if (!first || !last)
      return refuse(part, "'" + numbers + "' is not the number of a processor" +
                              (dash == std::string::npos ? "" : ", nor two with '-' between them"));
    if (*last < *first || *last - *first >= kMostInRange)
      return refuse(part, "'" + numbers + "' is no range of at most " + std::to_string(kMostInRange) + " processors");
    Processors& processors = cores_[controller_];
    for (int processor = *first;; ++processor) {
      const auto at = std::ranges::lower_bound(processors, processor);
      if (at != processors.end() && *at == processor)
        return {Code::kInvalid, pair_of(controller_, processor) + " is given twice; leave one out"};
      processors.insert(at, processor);
      if (processor == *last) return {};
    }
  }

  static std::optional<int> number_of(const std::string& text) {
    const auto number = parse_whole(text);
    if (!number || *number > std::uint64_t{std::numeric_limits<int>::max()}) return std::nullopt;
    return static_cast<int>(*number);
  }

  Cores& cores_;
  std::string controller_;
};

Processors processors_of(const Cores& cores, const std::string& controller) {
  const auto found = cores.find(controller);
  return found == cores.end() ? Processors() : found->second;
}

bool has(const Plan& plan, const std::string& controller) {
  return std::ranges::find(plan.controllers, controller, &ControllerPlan::name) != plan.controllers.end();
}

}  // namespace

Result<Cores> parse_cores(const std::string& text) {
  Cores cores;
  CoresReader reader(cores);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    WOA_RETURN_IF_ERROR(reader.add(text.substr(begin, end - begin)));
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
      ->type_name("CONTROLLER=N[-M],...");
}

Processors host_processors(const Cores& cores) { return processors_of(cores, "host"); }

std::vector<Processors> processors_of(const Cores& cores, const Plan& plan) {
  std::vector<Processors> processors;
  if (cores.empty()) return processors;
  for (const ControllerPlan& controller : plan.controllers) processors.push_back(processors_of(cores, controller.name));
  return processors;
}

Status check_controllers(const Cores& cores, const std::vector<const Plan*>& plans) {
  for (const auto& [name, processors] : cores) {
    const std::string& controller = name;  // which lambdas may name
    if (std::ranges::any_of(plans, [&](const Plan* plan) { return has(*plan, controller); })) continue;
    std::vector<std::string> names;
    for (const Plan* plan : plans)
      for (const ControllerPlan& each : plan->controllers)
        if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
    std::string list;
    for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
    return {Code::kInvalid, "--cores " + controller + "=" + to_text(processors) + ": the plan has no controller '" +
                                controller + "'; it has " + list};
  }
  return {};
}

Status check_processors(const Cores& cores, const Plan& plan, const JoinedNodes& joined) {
  for (const auto& [name, processors] : cores) {
    const std::string& controller = name;
    const bool elsewhere =
        std::ranges::any_of(joined, [&](const auto& node) { return plan.controllers[node.first].name == controller; });
    if (elsewhere) continue;
    for (const int processor : processors)
      if (const Status status = check_processor(processor); !status.ok())
        return {Code::kUnavailable, "--cores " + pair_of(controller, processor) + ": " + status.message()};
  }
  return {};
}

}  // namespace woa
