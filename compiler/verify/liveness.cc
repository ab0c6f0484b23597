#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/buffers/blocks.h"
#include "compiler/certificate/live_blocks.h"
#include "compiler/diagnostics/report.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/replicas.h"
#include "compiler/parse/kernel_file.h"
#include "compiler/verify/verify.h"

namespace woa {
namespace {

Status not_live(const std::string& what) { return {Code::kInvalid, "liveness: " + what + "; compile the graph again"}; }

// Rebuilds the control flow of a plan's graph.
class GraphReader {
 public:
  explicit GraphReader(const Plan& plan) : plan_(plan) { kernels_.resize(plan.stages.size()); }

  // The graph points into this.
  Graph read() {
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) add_stage(s);
    for (const LoopPlan& loop : plan_.loops)
      graph_.loops.push_back({.name = loop.name, .place = {}, .max = loop.max, .stages = {}, .children = {}});
    for (const EdgePlan& edge : plan_.edges)
      if (!edge.count) add_edge(edge);
    return std::move(graph_);
  }

 private:
  void add_stage(std::uint32_t s) {
    const StagePlan& plan = plan_.stages[s];
    const std::size_t bracket = std::min(plan.name.find('['), plan.name.size());
    const std::string name = plan.name.substr(0, bracket);
    GraphStage* const last = graph_.stages.empty() ? nullptr : &graph_.stages.back();
    const bool replica = bracket < plan.name.size();
    if (last != nullptr && replica && last->name == name && !last->replica_controllers.empty() && alike(s, s - 1)) {
      ++last->replicas;
    } else {
      graph_.stages.push_back(stage_of(s, name));
    }
    if (replica) graph_.stages.back().replica_controllers.push_back(plan.controller);
    logical_.push_back(static_cast<std::uint32_t>(graph_.stages.size() - 1));
  }

  // True for replicas of one stage. Other stages with such names are stages of the graph, checked one by one.
  [[nodiscard]] bool alike(std::uint32_t s, std::uint32_t other) const {
    const StagePlan &one = plan_.stages[s], &two = plan_.stages[other];
    return one.role == two.role && one.kernel == two.kernel && one.stateful == two.stateful &&
           one.inputs == two.inputs && one.outputs == two.outputs;
  }

  GraphStage stage_of(std::uint32_t s, const std::string& name) {
    const StagePlan& plan = plan_.stages[s];
    kernels_[s].name = plan.kernel;
    kernels_[s].stateful = plan.stateful;
    GraphStage stage;
    stage.name = name;
    if (plan.role == StageRole::kKernel) stage.kernel = &kernels_[s];
    stage.keeps_state = stage.kernel != nullptr && plan.stateful == Stateful::kInstance;
    stage.inputs = plan.inputs;
    stage.outputs = plan.outputs;
    for (InputPortPlan& port : stage.inputs) {
      port.hold_mask = port.index_shift = port.index_bits = 0;
      port.renewed = false;
    }
    for (OutputPortPlan& port : stage.outputs) port.index_shift = port.index_bits = 0;
    stage.in.resize(plan.inputs.size());
    stage.out.resize(plan.outputs.size());
    stage.broken.resize(plan.inputs.size());
    stage.input_places.resize(plan.inputs.size());
    stage.output_places.resize(plan.outputs.size());
    return stage;
  }

  void add_edge(const EdgePlan& plan) {
    const std::uint32_t from = logical_[plan.from_stage], to = logical_[plan.to_stage];
    if (!known_.insert({from, plan.from_port, to, plan.to_port}).second) return;  // known from another replica
    const bool hold = graph_.stages[to].inputs[plan.to_port].hold;
    const auto id = static_cast<std::uint32_t>(graph_.edges.size());
    graph_.edges.push_back(
        {from, plan.from_port, to, plan.to_port, {}, hold, plan.loop, -1, 1, 1, false, plan.lane, {}});
    graph_.stages[to].in[plan.to_port].push_back(id);
    graph_.stages[from].out[plan.from_port].push_back(id);
  }

  const Plan& plan_;
  Graph graph_;
  std::vector<KernelDecl> kernels_;     // by stage of the plan
  std::vector<std::uint32_t> logical_;  // by stage of the plan: its stage in the graph
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> known_;
};

// True if a scatter has no gather, or the reverse. No graph that passed the checks has one.
bool has_open_scatter(const Graph& graph) {
  const auto unknown = [](const auto& ports, const std::vector<std::int32_t>& scatters, const auto member) {
    for (std::size_t p = 0; p < ports.size(); ++p)
      if (ports[p].*member != 0 && scatters[p] < 0) return true;
    return false;
  };
  return std::ranges::any_of(graph.stages, [&](const GraphStage& stage) {
    return unknown(stage.inputs, stage.ends, &InputPortPlan::gather) ||
           unknown(stage.outputs, stage.starts, &OutputPortPlan::many);
  });
}

// The plan that the compiler would make of the same graph.
Result<Plan> derive(const Plan& plan) {
  GraphReader reader(plan);
  Graph graph = reader.read();
  for (const GraphStage& stage : graph.stages)
    if (stage.replicas > kMaxReplicas) return not_live("stage '" + stage.name + "' has too many replicas");
  Report report;
  report.add_source(plan.graph, "");
  if (auto flow = check_control_flow(graph, report)) count_blocks(graph, *flow, report);
  if (report.errors() != 0) return not_live(report.take().front().text);
  if (has_open_scatter(graph)) return not_live("a scatter has no end");
  for (GraphStage& stage : graph.stages) stage.kernel = nullptr;  // kernels do not matter here
  return with_replicas(emit_plan(graph, plan.graph, plan.window, plan.timeout_ns), graph);
}

Status compare_stages(const Plan& plan, const Plan& derived) {
  if (plan.stages.size() != derived.stages.size()) return not_live("its replicas are not in a row");
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan &stage = plan.stages[s], &other = derived.stages[s];
    const auto in = [](const InputPortPlan& port) {
      return std::tuple(port.hold, port.hold_mask, port.gather, port.index_shift, port.index_bits);
    };
    const auto out = [](const OutputPortPlan& port) {
      return std::tuple(port.many, port.index_shift, port.index_bits);
    };
    const bool same = stage.name == other.name && std::ranges::equal(stage.inputs, other.inputs, {}, in, in) &&
                      std::ranges::equal(stage.outputs, other.outputs, {}, out, out);
    if (!same) return not_live("stage '" + stage.name + "' does not match its tokens by the counters that it must");
    if (!std::ranges::equal(stage.inputs, other.inputs, {}, &InputPortPlan::renewed, &InputPortPlan::renewed))
      return not_live("stage '" + stage.name + "' frees held tokens otherwise than the order of its turns allows");
  }
  return {};
}

Status compare_edges(const Plan& plan, const Plan& derived) {
  if (plan.edges.size() != derived.edges.size()) return not_live("edges are missing, or too many");
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan &edge = plan.edges[e], &other = derived.edges[e];
    const auto ends = [](const EdgePlan& of) {
      return std::tuple(of.from_stage, of.from_port, of.to_stage, of.to_port, of.count);
    };
    const auto tags = [](const EdgePlan& of) { return std::tuple(of.keep, of.step, of.loop); };
    if (ends(edge) != ends(other)) return not_live(name_of_edge(plan, edge) + " stands where another one must");
    if (tags(edge) != tags(other))
      return not_live(name_of_edge(plan, edge) + " gives its tokens other tags than it must");
    if (edge.choice != other.choice)
      return not_live(name_of_edge(plan, edge) + " chooses another replica than it must");
    if (edge.min_blocks < other.min_blocks)
      return not_live(name_of_edge(plan, edge) + " has " + std::to_string(edge.min_blocks) +
                      " blocks for an instance, which may hold b(e) = " + std::to_string(other.min_blocks) +
                      " at once");
  }
  return {};
}

}  // namespace

Status verify_liveness(const CertifiedPlan& plan) {
  const auto is_relay = [](const StagePlan& stage) { return stage.role == StageRole::kRelay; };
  if (const auto relay = std::ranges::find_if(plan.stages, is_relay); relay != plan.stages.end())
    return not_live("stage '" + relay->name + "' is a relay: a call model adds them when the plan is run");
  const auto derived = derive(plan);
  if (!derived.ok()) return derived.status();
  if (plan.loops != derived->loops) return not_live("its loops do not have the counters that they must");
  WOA_RETURN_IF_ERROR(compare_stages(plan, *derived));
  WOA_RETURN_IF_ERROR(compare_edges(plan, *derived));
  return verify_blocks(plan);
}

}  // namespace woa
