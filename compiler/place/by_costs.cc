#include "compiler/place/by_costs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/place/certify.h"
#include "compiler/place/copy_problem.h"
#include "compiler/place/cost_table.h"
#include "compiler/place/solver/solve.h"
#include "compiler/place/unmet.h"

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

// Reports controllers that a stage may be on, without the price or power that the goal bounds. Those that no machine
// file lists share one error.
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

// Names as in the plan, before copies.
std::vector<std::string> stage_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphStage& stage : graph.stages)
    for (std::uint32_t r = 0; r < stage.replicas; ++r)
      names.push_back(stage.replicas == 1 ? stage.name : cat(stage.name, "[", r, "]"));
  return names;
}

Place on_command_line(Report& report) { return {report.add_source(std::string(kCommandLine), ""), 0, 0, 1}; }

void report_bad_problem(const PlacementGoal& goal, const Status& status, Report& report) {
  const bool copies = goal.copies > 1;
  const bool fees = goal.most_price || goal.most_power_mw;
  report.error(problem::kNoPlacement, copies ? on_command_line(report) : Place(), status.message(),
               copies && fees ? "leave `--copies` out, or the bound on price or power"
               : copies       ? "allow fewer copies (`--copies`), pin stages, or mend the profile or the machine file"
                              : "mend the profile or the machine file");
}

void report_unmet(const std::vector<Unmet>& all, Report& report) {
  const Place command_line = on_command_line(report);
  for (const Unmet& unmet : all)
    report.error(problem::kNoPlacement, unmet.option ? command_line : Place(), unmet.text, unmet.fix);
}

}  // namespace

std::optional<Certificate> place_by_costs(Graph& graph, const Machine& machine, const Profile& profile,
                                          const PlacementGoal& goal, std::chrono::milliseconds limit, Report& report) {
  const bool many_in_flight = goal.objective == "throughput" || goal.most_period_ps;
  std::optional<Costs> costs = make_cost_table(graph, machine, profile, many_in_flight, report);
  if (!costs) return std::nullopt;
  const std::size_t errors = report.errors();
  if (goal.most_price) report_unknown_figure(*costs, "price", &ComponentCosts::price, report);
  if (goal.most_power_mw) report_unknown_figure(*costs, "power", &ComponentCosts::power_mw, report);
  if (report.errors() != errors) return std::nullopt;
  const std::vector<std::string> names = stage_names(graph);
  const auto problem = copy_problem(costs->table, goal, names);
  if (!problem.ok()) {
    report_bad_problem(goal, problem.status(), report);
    return std::nullopt;
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  auto solution = assign::solve(problem->problem, {.limit = limit});
  if (!solution.ok()) {
    const Refusal refusal = find_unmet(costs->table, goal, names, *problem, solution.status(), end);
    report_unmet(refusal.unmet, report);
    if (refusal.kept.empty()) return std::nullopt;
    solution = assign::solve(problem->problem, {.limit = limit / 4, .start = refusal.kept});
    if (!solution.ok()) {
      report.error(problem::kNoPlacement, {}, solution.status().message(), "give it more time by `--placement-limit`");
      return std::nullopt;
    }
  }
  const CostTable table = write_out_copies(costs->table, goal, *problem, *solution);
  Certificate certificate = certify(goal, table, *solution);
  put(graph, costs->controllers, certificate);
  return certificate;
}

}  // namespace woa
