// A plan as a Graphviz drawing.
#include <string>
#include <string_view>

#include "compiler/compiler.h"

namespace woa {
namespace {

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string_view color_of(ControllerKind kind) {
  switch (kind) {
    case ControllerKind::kHost: return "gray90";
    case ControllerKind::kCpu: return "lightblue";
    case ControllerKind::kGpu: return "palegreen";
    case ControllerKind::kFpga: return "moccasin";
  }
  return "white";
}

void draw_controller(const Plan& plan, std::size_t number, std::string& out) {
  const ControllerPlan& controller = plan.controllers[number];
  out += "  subgraph cluster_" + std::to_string(number) + " {\n    label=\"" + escape(controller.name) + " (" +
         escape(controller.backend) + ")\"; style=filled; color=" + std::string(color_of(controller.kind)) + ";\n";
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.controller != number) continue;
    const std::string kernel = stage.kernel.empty() ? "" : "\\n" + escape(stage.kernel);
    const std::string shape = stage.role == StageRole::kKernel ? "box" : "ellipse";
    out += "    s" + std::to_string(s) + " [label=\"" + escape(stage.name) + kernel + "\", shape=" + shape +
           ", style=filled, fillcolor=white];\n";
  }
  out += "  }\n";
}

void draw_edge(const Plan& plan, const EdgePlan& edge, std::string& out) {
  const OutputPortPlan& from = plan.stages[edge.from_stage].outputs[edge.from_port];
  const InputPortPlan& to = plan.stages[edge.to_stage].inputs[edge.to_port];
  std::string label = escape(from.name) + " > " + escape(to.name) + "\\n" + escape(to_string(from.type)) + "\\n" +
                      std::to_string(edge.blocks) + " blocks";
  if (edge.count) label = "count";
  if (!edge.count && from.many != 0) label += "\\nat most " + std::to_string(from.many) + " elements";
  if (!edge.lane.empty()) label += "\\nlane " + escape(edge.lane);
  if (edge.loop >= 0) {
    const LoopPlan& loop = plan.loops[static_cast<std::size_t>(edge.loop)];
    label += "\\nloop " + escape(loop.name) + ", at most " + std::to_string(loop.max);
  }
  const std::string_view style = edge.loop >= 0          ? ", style=bold, constraint=false"
                                 : to.hold || edge.count ? ", style=dashed"
                                                         : "";
  out += "  s" + std::to_string(edge.from_stage) + " -> s" + std::to_string(edge.to_stage) + " [label=\"" + label +
         "\"" + std::string(style) + "];\n";
}

}  // namespace

std::string to_dot(const Plan& plan) {
  std::string out = "digraph \"" + escape(plan.graph) + "\" {\n  rankdir=LR; fontname=sans; labelloc=t;\n  label=\"" +
                    escape(plan.graph) + ", model " + escape(plan.model) + ", window " + std::to_string(plan.window) +
                    "\";\n  node [fontname=sans]; edge [fontname=sans, fontsize=9];\n";
  for (std::size_t c = 0; c < plan.controllers.size(); ++c) draw_controller(plan, c, out);
  for (const EdgePlan& edge : plan.edges) draw_edge(plan, edge, out);
  return out + "}\n";
}

}  // namespace woa
