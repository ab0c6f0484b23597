#include "compiler/place/capacity.h"

#include <map>
#include <utility>

#include "compiler/place/place.h"

namespace woa {
namespace {

const Resources* resources_of(const Graph& graph, const GraphStage& stage) {
  if (stage.kernel == nullptr || stage.controller >= graph.controllers.size()) return nullptr;
  const auto found = stage.kernel->resources.find(variant_for(graph.controllers[stage.controller].kind));
  return found == stage.kernel->resources.end() ? nullptr : &found->second;
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

void check_capacities(const Graph& graph, const Machine& machine, Report& report) {
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> used;  // by controller and resource
  for (const GraphStage& stage : graph.stages) {
    const Resources* taken = resources_of(graph, stage);
    if (taken == nullptr) continue;
    const MachineController* controller = machine.find(graph.controllers[stage.controller].name);
    if (controller == nullptr) continue;
    for (const auto& [resource, amount] : *taken) {
      const auto limit = controller->resources.find(resource);
      if (limit == controller->resources.end()) continue;
      std::uint64_t& sum = used[{stage.controller, resource}];
      if (sum > limit->second) continue;  // reported
      if (amount > limit->second - sum) report_full(stage, *controller, resource, sum, amount, report);
      sum = amount > limit->second - sum ? limit->second + 1 : sum + amount;
    }
  }
}

}  // namespace woa
