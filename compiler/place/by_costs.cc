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

// Controllers in order of first use, the host before all.
void put(Graph& graph, const std::vector<ControllerPlan>& controllers, const assign::Placement& placement) {
  graph.controllers = {controllers.front()};
  std::map<std::uint32_t, std::uint32_t> used;  // by component
  for (std::uint32_t s = 0; s < graph.stages.size(); ++s) {
    if (graph.stages[s].kernel == nullptr) continue;
    const auto [at, added] = used.emplace(placement[s], static_cast<std::uint32_t>(graph.controllers.size()));
    if (added) graph.controllers.push_back(controllers[placement[s]]);
    graph.stages[s].controller = at->second;
  }
}

}  // namespace

std::optional<Certificate> place_by_costs(Graph& graph, const Machine& machine, const Profile& profile,
                                          const PlacementGoal& goal, std::chrono::milliseconds limit, Report& report) {
  std::optional<Costs> costs = make_cost_table(graph, machine, profile, report);
  if (!costs) return std::nullopt;
  const auto problem = placement_problem(costs->table, goal);
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
  put(graph, costs->controllers, solution->placement);
  return certify(goal, std::move(costs->table), *solution);
}

}  // namespace woa
