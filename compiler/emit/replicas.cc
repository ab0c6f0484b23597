#include "compiler/emit/replicas.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/place/replicas.h"

namespace woa {
namespace {

class Replicator {
 public:
  Replicator(Plan plan, const Graph& graph) : graph_(graph), plan_(std::move(plan)) {}

  Plan run() {
    std::vector<StagePlan> stages = std::exchange(plan_.stages, {});
    for (std::uint32_t s = 0; s < stages.size(); ++s) add_stage(s, stages[s]);
    const std::vector<EdgePlan> edges = std::exchange(plan_.edges, {});
    for (std::size_t e = 0; e < edges.size(); ++e) add_edges(edges[e], graph_.edges[e]);
    return std::move(plan_);
  }

 private:
  void add_stage(std::uint32_t s, const StagePlan& stage) {
    first_.push_back(static_cast<std::uint32_t>(plan_.stages.size()));
    const GraphStage& logical = graph_.stages[s];
    if (logical.replicas == 1) return plan_.stages.push_back(stage);
    for (std::uint32_t r = 0; r < logical.replicas; ++r) {
      StagePlan& replica = plan_.stages.emplace_back(stage);
      replica.name += "[" + std::to_string(r) + "]";
      replica.controller = logical.replica_controllers[r];
      if (logical.kernel != nullptr) set_variant(replica, logical, graph_.controllers[replica.controller]);
    }
  }

  void add_edges(const EdgePlan& edge, const GraphEdge& logical) {
    const std::uint32_t writers = graph_.stages[edge.from_stage].replicas;
    const std::uint32_t readers = graph_.stages[edge.to_stage].replicas;
    const std::int32_t chooser = replica_scatter(graph_, edge.to_stage);
    const bool held = graph_.stages[edge.to_stage].inputs[edge.to_port].hold;
    for (const ReplicaEdge& pair : replica_edges(graph_, logical)) {
      EdgePlan& one = plan_.edges.emplace_back(edge);
      one.from_stage = first_[edge.from_stage] + pair.writer;
      one.to_stage = first_[edge.to_stage] + pair.reader;
      if (pair.chosen) one.choice = choice(chooser, readers, pair.reader);
      const std::uint32_t of_writer = replica_scatter(graph_, edge.from_stage) < 0 ? writers : 1;
      const std::uint32_t of_reader = chooser < 0 && !held ? readers : 1;
      one.blocks = share(edge, std::lcm(of_writer, of_reader));
    }
  }

  [[nodiscard]] ReplicaChoice choice(std::int32_t chooser, std::uint32_t replicas, std::uint32_t replica) const {
    if (chooser < 0) return {replicas, replica, 0, 0};
    const GraphLoop& scatter = graph_.loops[static_cast<std::size_t>(chooser)];
    return {replicas, replica, scatter.shift, scatter.bits};
  }

  // The edge sees one in `parts` of the instances in flight. Even if they come one at a time, an instance is seldom the
  // oldest, for which blocks are reserved: without one block more it would wait until it is.
  [[nodiscard]] std::uint32_t share(const EdgePlan& edge, std::uint32_t parts) const {
    return std::max(edge.min_blocks + (plan_.window > 1 ? 1U : 0U), (edge.blocks + parts - 1) / parts);
  }

  const Graph& graph_;
  Plan plan_;
  std::vector<std::uint32_t> first_;  // by stage of the graph: its number in the plan, or that of its first replica
};

}  // namespace

Plan with_replicas(Plan plan, const Graph& graph) { return Replicator(std::move(plan), graph).run(); }

namespace {

// The graph's stage, by stage of a plan with replicas.
std::vector<const GraphStage*> stages_with_replicas(const Graph& graph) {
  std::vector<const GraphStage*> stages;
  for (const GraphStage& stage : graph.stages) stages.insert(stages.end(), stage.replicas, &stage);
  return stages;
}

}  // namespace

Plan with_copies(Plan plan, const Graph& graph, const CostTable& costs) {
  const std::vector<const GraphStage*> logical = stages_with_replicas(graph);
  const std::vector<StagePlan> stages = std::exchange(plan.stages, {});
  std::vector<std::uint32_t> original;  // by stage with copies: its number without them
  for (const StageCosts& one : costs.stages) {
    original.push_back(original.empty() ? 0 : original.back() + (one.copy == 0 ? 1U : 0U));
    const GraphStage& stage = *logical[original.back()];
    StagePlan& copy = plan.stages.emplace_back(stages[original.back()]);
    if (stage.copy_controllers.empty()) continue;
    copy.controller = stage.copy_controllers[one.copy];
    const ControllerPlan& controller = plan.controllers[copy.controller];
    copy.name += "@" + controller.name;
    set_variant(copy, stage, controller);
    // keep_allowed_in_place() judges each stage by itself, and only cpu controllers write in place. But copies must be
    // alike wherever they are: verify_certificate() takes no others.
    for (OutputPortPlan& port : copy.outputs) port.in_place = -1;
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
