#include "compiler/place/by_costs.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "compiler/assign/solve.h"
#include "compiler/place/certify.h"
#include "compiler/place/cost_table.h"
#include "compiler/place/placement_problem.h"

namespace woa {
namespace {

// Controllers in order of first use, the host before all. Replicas stand in a row.
void put(Graph& graph, const std::vector<MachineController>& controllers, const assign::Placement& placement) {
  graph.controllers = {controllers.front().plan};
  std::map<std::uint32_t, std::uint32_t> used;  // by component
  const auto number_of = [&](std::uint32_t component) {
    const auto [at, added] = used.emplace(component, static_cast<std::uint32_t>(graph.controllers.size()));
    if (added) graph.controllers.push_back(controllers[component].plan);
    return at->second;
  };
  std::size_t next = 0;
  for (GraphStage& stage : graph.stages) {
    const std::size_t first = std::exchange(next, next + stage.replicas);
    if (stage.kernel == nullptr) continue;
    stage.controller = number_of(placement[first]);
    for (std::size_t r = first; stage.replicas > 1 && r < next; ++r)
      stage.replica_controllers.push_back(number_of(placement[r]));
  }
}

}  // namespace

std::optional<Certificate> place_by_costs(Graph& graph, const Machine& machine, const Profile& profile,
                                          const PlacementGoal& goal, std::chrono::milliseconds limit, Report& report) {
  std::optional<Costs> costs = make_cost_table(graph, machine, profile, report);
  if (!costs) return std::nullopt;
  const auto problem = placement_problem(costs->table, goal);
  if (!problem.ok()) {
    report.error(problem::kNoPlacement, {}, problem.status().message(), "mend the profile or the machine file");
    return std::nullopt;
  }
  const auto solution = assign::solve(*problem, {.limit = limit});
  if (!solution.ok()) {
    report.error(problem::kNoPlacement, {}, solution.status().message(),
                 "raise the bound, or the machine's limits, or take pins away");
    return std::nullopt;
  }
  put(graph, costs->controllers, solution->placement);
  return certify(goal, std::move(costs->table), *solution);
}

}  // namespace woa
