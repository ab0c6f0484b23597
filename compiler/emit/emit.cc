#include "compiler/emit/emit.h"

#include <algorithm>

#include "compiler/parse/declaration.h"
#include "compiler/place/place.h"

namespace woa {
namespace {

std::uint64_t field(const GraphLoop& loop) {
  const std::uint64_t ones = loop.bits == 64 ? ~0ULL : (1ULL << loop.bits) - 1;
  return ones << loop.shift;
}

// The counters of a context's loop and those around it.
std::uint64_t counters(const Graph& graph, std::int32_t context) {
  std::uint64_t mask = 0;
  for (std::int32_t l = context; l >= 0; l = graph.parent(l)) mask |= field(graph.loops[static_cast<std::size_t>(l)]);
  return mask;
}

// The counters that both ends of an edge have, including the number of an element that it carries.
std::uint64_t shared_counters(const Graph& graph, const GraphEdge& edge) {
  const GraphStage& from = graph.stages[edge.from_stage];
  const std::int32_t started = from.starts.empty() ? -1 : from.starts[edge.from_port];
  const std::uint64_t number = started < 0 ? 0 : field(graph.loops[static_cast<std::size_t>(started)]);
  return counters(graph, edge.context) | number;
}

// The part of the writer's tag that is kept: for an element that is gathered, also its number.
std::uint64_t kept(const Graph& graph, const GraphEdge& edge) {
  const GraphStage &from = graph.stages[edge.from_stage], &to = graph.stages[edge.to_stage];
  const std::int32_t ended = edge.count || to.ends.empty() ? -1 : to.ends[edge.to_port];
  const bool starts = !from.starts.empty() && from.starts[edge.from_port] >= 0;  // then the writer adds it
  const std::uint64_t number = ended < 0 || starts ? 0 : field(graph.loops[static_cast<std::size_t>(ended)]);
  return counters(graph, edge.context) | number;
}

StagePlan emit_stage(const Graph& graph, std::uint32_t number) {
  const GraphStage& stage = graph.stages[number];
  StagePlan plan;
  plan.name = stage.name;
  plan.role = number == kSourceStage ? StageRole::kSource
              : number == kSinkStage ? StageRole::kSink
                                     : StageRole::kKernel;
  plan.controller = stage.controller;
  plan.params = stage.params;
  plan.inputs = stage.inputs;
  plan.outputs = stage.outputs;
  for (std::size_t p = 0; p < plan.inputs.size(); ++p) {
    if (plan.inputs[p].hold) {
      const GraphEdge& held = graph.edges[stage.in[p][0]];
      plan.inputs[p].hold_mask = shared_counters(graph, held);
      plan.inputs[p].renewed = held.renewed;
    }
    if (plan.inputs[p].gather == 0) continue;
    const GraphLoop& scatter = graph.loops[static_cast<std::size_t>(stage.ends[p])];
    plan.inputs[p].gather = scatter.max;
    plan.inputs[p].index_shift = scatter.shift;
    plan.inputs[p].index_bits = scatter.bits;
  }
  for (std::size_t p = 0; p < plan.outputs.size(); ++p) {
    if (plan.outputs[p].many == 0) continue;
    const GraphLoop& scatter = graph.loops[static_cast<std::size_t>(stage.starts[p])];
    plan.outputs[p].index_shift = scatter.shift;
    plan.outputs[p].index_bits = scatter.bits;
  }
  if (stage.kernel == nullptr) return plan;
  plan.kernel = stage.kernel->name;
  plan.kernel_file = stage.kernel_file;
  plan.library = stage.kernel->library;
  plan.program_kernel = stage.program_kernel;
  set_variant(plan, stage, graph.controllers[stage.controller]);
  plan.stateful = stage.kernel->stateful;
  plan.serial = stage.kernel->serial;
  plan.state_bytes = stage.kernel->state_bytes;
  plan.isolated = is_isolated(stage);
  if (plan.isolated) plan.limit_ns = stage.decl->limit_ns.value_or(0);
  plan.scratch_bytes = stage.kernel->scratch_bytes;
  return plan;
}

EdgePlan emit_edge(const Graph& graph, const GraphEdge& edge) {
  EdgePlan plan;
  plan.from_stage = edge.from_stage;
  plan.from_port = edge.from_port;
  plan.to_stage = edge.to_stage;
  plan.to_port = edge.to_port;
  plan.keep = kept(graph, edge);
  plan.step = edge.loop < 0 ? 0 : 1ULL << graph.loops[static_cast<std::size_t>(edge.loop)].shift;
  plan.loop = edge.loop;
  plan.min_blocks = edge.min_blocks;
  plan.blocks = edge.blocks;
  plan.lane = edge.lane;
  plan.count = edge.count;
  return plan;
}

}  // namespace

void set_variant(StagePlan& plan, const GraphStage& stage, const ControllerPlan& controller) {
  if (modelled_on(stage, controller) != nullptr) {
    plan.variant = {};
    plan.variant.kind = kModelled;
  } else {
    plan.variant = stage.kernel->variants.find(variant_of(controller.backend))->second;
  }
  plan.headers = controller.traits.headers();
  const Publisher wanted = plan.variant.resident ? Publisher::kWorker : Publisher::kQueue;
  plan.publishes = may_publish(plan) ? std::min(wanted, controller.traits.publishes) : Publisher::kHost;
  plan.declaration = declaration_of(*stage.kernel, plan.variant).digest;
}

Plan emit_plan(const Graph& graph, const std::string& name, std::uint32_t window,
               std::optional<std::uint64_t> timeout_ns) {
  Plan plan;
  plan.graph = name;
  plan.window = window;
  plan.timeout_ns = timeout_ns.value_or(0);
  plan.controllers = graph.controllers;
  for (std::uint32_t s = 0; s < graph.stages.size(); ++s) plan.stages.push_back(emit_stage(graph, s));
  for (const GraphEdge& edge : graph.edges) plan.edges.push_back(emit_edge(graph, edge));
  for (const GraphLoop& loop : graph.loops) {  // scatters come last, so that loops keep their numbers
    if (!loop.scatter) plan.loops.push_back({loop.name, loop.shift, loop.bits, loop.max});
  }
  return plan;
}

}  // namespace woa
