#include "compiler/place/capacity.h"

#include <map>
#include <set>
#include <utility>

#include "compiler/parse/controller_name.h"
#include "compiler/place/place.h"

namespace woa {
namespace {

// On a controller of that kind.
const Resources* resources_of(const GraphStage& stage, ControllerKind kind) {
  if (stage.kernel == nullptr) return nullptr;
  const auto found = stage.kernel->resources.find(variant_for(kind));
  return found == stage.kernel->resources.end() ? nullptr : &found->second;
}

// To one controller, not to a kind.
bool is_pinned(const GraphStage& stage) {
  if (stage.decl == nullptr) return false;
  const std::optional<ControllerName> on = parse_controller(stage.decl->on);
  return on && on->exact();
}

void report_full(const GraphStage& stage, const MachineController& controller, const std::string& resource,
                 std::uint64_t used, std::uint64_t taken, Report& report) {
  const bool pinned = stage.decl != nullptr && !stage.decl->on.empty();
  report.error(
      problem::kOverCapacity, pinned ? stage.decl->on_place : stage.place,
      cat("stage ", quote(stage.name), " does not fit into ", quote(controller.plan.name), ": ", used, " + ", taken,
          " > ", controller.resources.at(resource), resource == "memory" ? " bytes of " : " ", resource),
      "pin it, or another stage there, elsewhere; the machine file says what the controller has");
}

}  // namespace

void check_capacities(const Graph& graph, const Machine& machine, Which which, Report& report) {
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> used;  // by controller and resource
  std::set<std::pair<std::uint32_t, std::string>> cores;                // by controller and kernel
  const auto add = [&](const GraphStage& stage, std::uint32_t number) {
    const ControllerPlan& plan = graph.controllers[number];
    const Resources* taken = resources_of(stage, plan.kind);
    const MachineController* controller = machine.find(plan.name);
    if (taken == nullptr || controller == nullptr) return;
    const bool shares = plan.kind == ControllerKind::kFpga && !cores.emplace(number, stage.kernel->name).second;
    for (const auto& [resource, amount] : *taken) {
      if (shares && resource != "memory") continue;
      const auto limit = controller->resources.find(resource);
      if (limit == controller->resources.end()) continue;
      std::uint64_t& sum = used[{number, resource}];
      if (sum > limit->second) continue;  // reported
      if (amount > limit->second - sum) report_full(stage, *controller, resource, sum, amount, report);
      sum = amount > limit->second - sum ? limit->second + 1 : sum + amount;
    }
  };
  for (const GraphStage& stage : graph.stages) {
    if (which == Which::kPinned && !is_pinned(stage)) continue;
    const bool together = stage.replica_controllers.empty();
    for (std::uint32_t r = 0; together && r < stage.replicas; ++r) add(stage, stage.controller);
    for (const std::uint32_t controller : stage.replica_controllers) add(stage, controller);
  }
}

}  // namespace woa
