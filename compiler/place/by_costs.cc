#include "compiler/place/by_costs.h"

#include <map>
#include <utility>

#include "compiler/assign/solve.h"
#include "compiler/place/certify.h"
#include "compiler/place/cost_table.h"
#include "compiler/place/placement_problem.h"

namespace woa {
namespace {

// Controllers in order of first use, the host before all.
void put(Graph& graph, const Machine& machine, const CostTable& table, const assign::Placement& placement) {
  const std::vector<ControllerPlan> before = std::exchange(graph.controllers, {});
  std::map<std::string, std::uint32_t> used;
  const auto use = [&](const ControllerPlan& controller) {
    const auto [at, added] = used.emplace(controller.name, static_cast<std::uint32_t>(graph.controllers.size()));
    if (added) graph.controllers.push_back(controller);
    return at->second;
  };
  use(before.front());
  for (std::uint32_t s = 0; s < graph.stages.size(); ++s) {
    GraphStage& stage = graph.stages[s];
    if (stage.kernel == nullptr) continue;
    const MachineController* listed = machine.find(table.components[placement[s]].controller);
    stage.controller = use(listed != nullptr ? listed->plan : before[stage.controller]);
  }
}

}  // namespace

std::optional<Certificate> place_by_costs(Graph& graph, const Machine& machine, const Profile& profile,
                                          const PlacementGoal& goal, std::chrono::milliseconds limit, Report& report) {
  std::optional<CostTable> table = make_cost_table(graph, machine, profile, report);
  if (!table) return std::nullopt;
  const auto problem = placement_problem(*table, goal);
  if (!problem.ok()) {
    report.error(problem::kNoPlacement, profile.place, problem.status().message(),
                 "mend the profile or the machine file");
    return std::nullopt;
  }
  const auto solution = assign::solve(*problem, {.limit = limit});
  if (!solution.ok()) {
    report.error(problem::kNoPlacement, {}, solution.status().message(),
                 "raise the bound, or the machine's limits, or take pins away");
    return std::nullopt;
  }
  put(graph, machine, *table, solution->placement);
  return certify(goal, std::move(*table), *solution);
}

}  // namespace woa
