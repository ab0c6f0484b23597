#include "compiler/buffers/in_place.h"

#include <cstddef>

namespace woa {
namespace {

const OutputPortPlan& writer_port(const Graph& graph, const GraphEdge& edge) {
  return graph.stages[edge.from_stage].outputs[edge.from_port];
}

const GraphEdge& only_writer(const Graph& graph, const GraphStage& stage, std::int32_t input) {
  return graph.edges[stage.in[static_cast<std::size_t>(input)].front()];
}

// The only edge of its output and of its input, also where its ends have replicas, and in no loop.
bool stands_alone(const Graph& graph, const GraphEdge& edge) {
  return graph.stages[edge.from_stage].out[edge.from_port].size() == 1 &&
         graph.stages[edge.to_stage].in[edge.to_port].size() == 1 && edge.context < 0 && edge.loop < 0 &&
         graph.stages[edge.from_stage].replicas == graph.stages[edge.to_stage].replicas &&
         graph.stages[edge.from_stage].copy_controllers.empty() &&
         graph.stages[edge.to_stage].copy_controllers.empty() && writer_port(graph, edge).many == 0;
}

bool allowed(const Graph& graph, const GraphStage& stage, std::size_t port) {
  const OutputPortPlan& output = stage.outputs[port];
  const auto input = static_cast<std::size_t>(output.in_place);
  if (graph.controllers[stage.controller].kind != ControllerKind::kCpu || stage.inputs[input].hold) return false;
  if (stage.inputs[input].gather != 0 || output.many != 0) return false;
  if (!same_layout(stage.inputs[input].type, output.type)) return false;
  return stage.in[input].size() == 1 && stage.out[port].size() == 1 &&
         stands_alone(graph, graph.edges[stage.in[input].front()]) &&
         stands_alone(graph, graph.edges[stage.out[port].front()]);
}

// How many stages before this one may pass its block on: no more than so many are followed.
std::size_t passed_before(const Graph& graph, const GraphStage& stage, std::int32_t input) {
  std::size_t passed = 0;
  const GraphEdge* edge = &only_writer(graph, stage, input);
  for (; passed < kMaxPassed && writer_port(graph, *edge).in_place >= 0; ++passed)
    edge = &only_writer(graph, graph.stages[edge->from_stage], writer_port(graph, *edge).in_place);
  return passed;
}

}  // namespace

void choose_in_place(Graph& graph) {
  for (GraphStage& stage : graph.stages) {
    for (std::size_t p = 0; p < stage.outputs.size(); ++p) {
      if (stage.outputs[p].in_place >= 0 && !allowed(graph, stage, p)) stage.outputs[p].in_place = -1;
    }
  }
  for (GraphStage& stage : graph.stages) {
    for (OutputPortPlan& port : stage.outputs) {
      if (port.in_place >= 0 && passed_before(graph, stage, port.in_place) + 1 >= kMaxPassed) port.in_place = -1;
    }
  }
}

}  // namespace woa
