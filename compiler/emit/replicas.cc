#include "compiler/emit/replicas.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace woa {
namespace {

class Replicator {
 public:
  Replicator(Plan plan, const Graph& graph) : graph_(graph), plan_(std::move(plan)) {}

  Plan run() {
    std::vector<StagePlan> stages = std::exchange(plan_.stages, {});
    for (std::uint32_t s = 0; s < stages.size(); ++s) add_stage(s, stages[s]);
    for (const EdgePlan& edge : std::exchange(plan_.edges, {})) add_edges(edge);
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
    }
  }

  void add_edges(const EdgePlan& edge) {
    const std::uint32_t writers = graph_.stages[edge.from_stage].replicas;
    const std::uint32_t readers = graph_.stages[edge.to_stage].replicas;
    const std::int32_t chooser = chooser_of(edge.to_stage);
    const bool same = chooser == chooser_of(edge.from_stage);
    const bool held = graph_.stages[edge.to_stage].inputs[edge.to_port].hold;
    for (std::uint32_t w = 0; w < writers; ++w) {
      for (std::uint32_t r = 0; r < readers; ++r) {
        const std::uint32_t alike = std::gcd(writers, readers);
        if (!held && same && w % alike != r % alike) continue;
        EdgePlan& one = plan_.edges.emplace_back(edge);
        one.from_stage = first_[edge.from_stage] + w;
        one.to_stage = first_[edge.to_stage] + r;
        if (!held && !(same && writers % readers == 0)) one.choice = choice(chooser, readers, r);  // else chosen alike
        const std::uint32_t of_writer = chooser_of(edge.from_stage) < 0 ? writers : 1;
        const std::uint32_t of_reader = chooser < 0 && !held ? readers : 1;
        one.blocks = share(edge, std::lcm(of_writer, of_reader));
      }
    }
  }

  // The scatter whose elements a stage's replicas share; -1: they share the instances.
  [[nodiscard]] std::int32_t chooser_of(std::uint32_t s) const { return graph_.scatter_around(graph_.stages[s].loop); }
  [[nodiscard]] ReplicaChoice choice(std::int32_t chooser, std::uint32_t replicas, std::uint32_t replica) const {
    if (replicas == 1) return {};
    if (chooser < 0) return {replicas, replica, 0, 0};
    const GraphLoop& scatter = graph_.loops[static_cast<std::size_t>(chooser)];
    return {replicas, replica, scatter.shift, scatter.bits};
  }

  // Of the instances in flight the edge sees one in `parts`.
  [[nodiscard]] std::uint32_t share(const EdgePlan& edge, std::uint32_t parts) const {
    const std::uint32_t instances = (plan_.window + parts - 1) / parts;
    return std::max(edge.min_blocks + (instances > 1 ? 1U : 0U), (edge.blocks + parts - 1) / parts);
  }

  const Graph& graph_;
  Plan plan_;
  std::vector<std::uint32_t> first_;  // by stage of the graph: its number in the plan, or that of its first replica
};

}  // namespace

Plan with_replicas(Plan plan, const Graph& graph) { return Replicator(std::move(plan), graph).run(); }

}  // namespace woa
