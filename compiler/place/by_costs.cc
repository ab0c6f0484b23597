#include "compiler/place/by_costs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/assign/solve.h"
#include "compiler/place/certify.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/cost_table.h"

namespace woa {
namespace {

// Controllers in order of first use, the host before all. Replicas stand in a row, and so do copies.
void put(Graph& graph, const std::vector<MachineController>& controllers, const Certificate& certificate) {
  const std::vector<StageCosts>& stages = certificate.costs.stages;
  const std::vector<std::uint32_t>& placement = certificate.placement;
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
    while (next < stages.size() && stages[next].copy != 0) ++next;
    if (stage.kernel == nullptr) continue;
    stage.controller = number_of(placement[first]);
    std::vector<std::uint32_t>& all = stage.replicas > 1 ? stage.replica_controllers : stage.copy_controllers;
    for (std::size_t s = first; next - first > 1 && s < next; ++s) all.push_back(number_of(placement[s]));
  }
}

// Controllers that a stage may be on, of which the machine file does not say what the goal bounds. Those that are in no
// file are told of together.
void report_unknown_figure(const Costs& costs, const std::string& figure,
                           std::optional<std::uint64_t> ComponentCosts::*of, Report& report) {
  std::vector<std::string> unlisted;
  const std::string fix = cat("write `", figure, "` for each, 0 for one that counts nothing; or pin stages to others");
  for (std::size_t l = 1; l < costs.table.components.size(); ++l) {
    const auto open = [&](const StageCosts& stage) { return stage.time_ps[l] != kNowhere_ps; };
    if ((costs.table.components[l].*of) || std::ranges::none_of(costs.table.stages, open)) continue;
    const MachineController& controller = costs.controllers[l];
    if (controller.place.line == 0) {
      unlisted.push_back(controller.plan.name);
    } else {
      report.error(problem::kNoFigure, controller.place,
                   cat("the ", figure, " of controllers in use is bounded, and that of ", quote(controller.plan.name),
                       " is not known"),
                   fix);
    }
  }
  if (unlisted.empty()) return;
  report.error(
      problem::kNoFigure, {},
      cat("the ", figure, " of controllers in use is bounded, and no machine file says that of ", quote_list(unlisted)),
      cat("give a machine file that lists them (--machine); ", fix));
}

// As in the plan.
std::vector<std::string> stage_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphStage& stage : graph.stages)
    for (std::uint32_t r = 0; r < stage.replicas; ++r)
      names.push_back(stage.replicas == 1 ? stage.name : cat(stage.name, "[", r, "]"));
  return names;
}

// "raise `--max-price`, or what the machine file says that controllers have, or take pins away".
std::string fix_for(const PlacementGoal& goal, Code code) {
  std::string raise;
  const auto add = [&](bool given, const std::string& option) {
    if (given) raise += (raise.empty() ? "raise " : ", ") + quote(option);
  };
  add(goal.most_latency_ps.has_value(), "--max-latency");
  add(goal.most_period_ps.has_value(), "--max-period");
  add(goal.most_price.has_value(), "--max-price");
  add(goal.most_power_mw.has_value(), "--max-power");
  return cat(code == Code::kDeadlineExceeded ? "give more time by `--placement-limit`, or " : "",
             raise.empty() ? "raise" : raise + ", or",
             " what the machine file says that controllers have, or take pins away");
}

}  // namespace

std::optional<Certificate> place_by_costs(Graph& graph, const Machine& machine, const Profile& profile,
                                          const PlacementGoal& goal, std::chrono::milliseconds limit, Report& report) {
  std::optional<Costs> costs = make_cost_table(graph, machine, profile, report);
  if (!costs) return std::nullopt;
  const std::size_t errors = report.errors();
  if (goal.most_price) report_unknown_figure(*costs, "price", &ComponentCosts::price, report);
  if (goal.most_power_mw) report_unknown_figure(*costs, "power", &ComponentCosts::power_mw, report);
  if (report.errors() != errors) return std::nullopt;
  const auto problem = copy_problem(costs->table, goal, stage_names(graph));
  if (!problem.ok()) {
    report.error(problem::kNoPlacement, {}, problem.status().message(),
                 goal.copies > 1 ? "allow fewer copies, pin stages, or mend the profile or the machine file"
                                 : "mend the profile or the machine file");
    return std::nullopt;
  }
  auto solution = assign::solve(problem->problem, {.limit = limit});
  if (!solution.ok()) {
    report.error(problem::kNoPlacement, {}, solution.status().message(), fix_for(goal, solution.status().code()));
    return std::nullopt;
  }
  const CostTable table = write_out_copies(costs->table, goal, *problem, *solution);
  Certificate certificate = certify(goal, table, *solution);
  put(graph, costs->controllers, certificate);
  return certificate;
}

}  // namespace woa
