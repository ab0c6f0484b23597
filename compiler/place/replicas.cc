#include "compiler/place/replicas.h"

#include <algorithm>
#include <numeric>

#include "compiler/place/needs.h"
#include "compiler/place/place.h"

namespace woa {
namespace {

class ReplicaPlacer {
 public:
  ReplicaPlacer(Graph& graph, const Machine& machine, Report& report)
      : graph_(graph), machine_(machine), report_(report) {}

  void run() {
    for (GraphStage& stage : graph_.stages) {
      if (stage.replicas == 1 || stage.kernel == nullptr) continue;
      check(stage);
      if (stage.replica_controllers.empty()) spread(stage);
    }
  }

 private:
  void check(const GraphStage& stage) {
    if (stage.kernel->stateful == Stateful::kRun) {
      report_.error(problem::kBadReplicas, stage.decl->replicas_place,
                    cat("kernel ", quote(stage.kernel->name), " keeps state for the run, so stage ", quote(stage.name),
                        " cannot have replicas: each would have a state of its own"),
                    "remove `replicas`");
    }
    for (const auto& port : stage.in) {
      for (const std::uint32_t e : port) {
        const GraphEdge& edge = graph_.edges[e];
        const GraphStage& writer = graph_.stages[edge.from_stage];
        if (!graph_.controllers[writer.controller].traits.writes_packets || !is_choice(graph_, edge)) continue;
        report_.error(problem::kBadReplicas, edge.place,
                      cat(quote(writer.name), " is on ", quote(graph_.controllers[writer.controller].name),
                          ", which writes its own packets and cannot choose among the ", stage.replicas,
                          " replicas of ", quote(stage.name)),
                      "place the writer elsewhere, or remove `replicas`");
      }
    }
  }

  void spread(GraphStage& stage) {
    const ControllerPlan first = graph_.controllers[stage.controller];
    const std::optional<ControllerName> pin = parse_controller(stage.decl->on);
    std::vector<ControllerPlan> candidates{first};
    if (!pin || !pin->number) {
      const auto& all = machine_.controllers;
      const auto here = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.plan.name == first.name; });
      const auto at = static_cast<std::size_t>(here - all.begin());  // all.size() if it is in no machine file
      for (std::size_t k = 1; k < all.size(); ++k) {
        const MachineController& next = all[(at + k) % all.size()];
        const bool other = next.plan.kind == first.kind && next.plan.name != first.name;
        if (other && may_run(stage, next.plan) && missing_need(stage, next) == nullptr) candidates.push_back(next.plan);
      }
    }
    for (std::uint32_t r = 0; r < stage.replicas; ++r)
      stage.replica_controllers.push_back(number_of(candidates[r % candidates.size()]));
  }

  std::uint32_t number_of(const ControllerPlan& controller) {
    auto& used = graph_.controllers;
    const auto found = std::find_if(used.begin(), used.end(), [&](const auto& c) { return c.name == controller.name; });
    const auto number = static_cast<std::uint32_t>(found - used.begin());
    if (found == used.end()) used.push_back(controller);
    return number;
  }

  Graph& graph_;
  const Machine& machine_;
  Report& report_;
};

}  // namespace

bool is_choice(const Graph& graph, const GraphEdge& edge) {
  return std::ranges::any_of(replica_edges(graph, edge), [](const ReplicaEdge& pair) { return pair.chosen; });
}

void place_replicas(Graph& graph, const Machine& machine, Report& report) {
  ReplicaPlacer(graph, machine, report).run();
}

std::int32_t replica_scatter(const Graph& graph, std::uint32_t stage) {
  return graph.stages[stage].keeps_state ? -1 : graph.scatter_around(graph.stages[stage].loop);
}

std::vector<ReplicaEdge> replica_edges(const Graph& graph, const GraphEdge& edge) {
  const std::uint32_t writers = graph.stages[edge.from_stage].replicas;
  const std::uint32_t readers = graph.stages[edge.to_stage].replicas;
  const std::uint32_t alike = std::gcd(writers, readers);
  const bool same = replica_scatter(graph, edge.from_stage) == replica_scatter(graph, edge.to_stage);
  const bool held = graph.stages[edge.to_stage].inputs[edge.to_port].hold;
  std::vector<ReplicaEdge> pairs;
  for (std::uint32_t w = 0; w < writers; ++w) {
    for (std::uint32_t r = 0; r < readers; ++r) {
      if (!held && same && w % alike != r % alike) continue;
      const bool given = same && writers % readers == 0;  // the writer determines the reader
      pairs.push_back({w, r, !held && !given && readers > 1});
    }
  }
  return pairs;
}

}  // namespace woa
