#include "compiler/emit/copies.h"

#include <utility>
#include <vector>

#include "compiler/emit/emit.h"

namespace woa {
namespace {

// By stage of a plan with replicas.
std::vector<const GraphStage*> stages_with_replicas(const Graph& graph) {
  std::vector<const GraphStage*> stages;
  for (const GraphStage& stage : graph.stages) stages.insert(stages.end(), stage.replicas, &stage);
  return stages;
}

}  // namespace

Plan with_copies(Plan plan, const Graph& graph, const CostTable& costs) {
  const std::vector<const GraphStage*> logical = stages_with_replicas(graph);
  const std::vector<StagePlan> stages = std::exchange(plan.stages, {});
  std::vector<std::uint32_t> original;  // by stage with copies
  for (const StageCosts& one : costs.stages) {
    original.push_back(original.empty() ? 0 : original.back() + (one.copy == 0 ? 1U : 0U));
    const GraphStage& stage = *logical[original.back()];
    StagePlan& copy = plan.stages.emplace_back(stages[original.back()]);
    if (stage.copy_controllers.empty()) continue;
    copy.controller = stage.copy_controllers[one.copy];
    const ControllerPlan& controller = plan.controllers[copy.controller];
    copy.name += "@" + controller.name;
    set_variant(copy, stage, controller);
  }
  const std::vector<EdgePlan> edges = std::exchange(plan.edges, {});
  std::size_t next = 0;
  for (const EdgeCosts& one : costs.edges) {  // copies of an edge follow it
    const bool same = one.to != 0 && costs.stages[one.to].copy != 0;
    next += same ? 0 : 1;
    EdgePlan& copy = plan.edges.emplace_back(edges[next - 1]);
    copy.from_stage = one.from, copy.to_stage = one.to;
  }
  return plan;
}

}  // namespace woa
