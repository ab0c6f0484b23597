// A plan as a Graphviz drawing.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "compiler/compiler.h"
#include "compiler/emit/traffic.h"
#include "compiler/parse/text_cursor.h"

namespace woa {
namespace {

// Bytes of the character that `text` begins with, if a picture can show it; 0 for others, which XML does not allow.
std::size_t shown_length(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7F) return 0;
  const bool no_character = text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
  return no_character ? 0 : utf8_length(text);
}

// For use between quotes. Graphviz reads `\` and, in labels, the entities of HTML. Bytes that are no text become \xNN.
std::string label_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(shown_length(text), 1);
    if (shown_length(text) == 0) {
      std::array<char, 8> byte{};
      std::snprintf(byte.data(), byte.size(), "\\\\x%02x", static_cast<unsigned char>(text[0]));
      out += byte.data();
    } else if (text[0] == '&') {
      out += "&amp;";
    } else {
      if (text[0] == '"' || text[0] == '\\') out += '\\';
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string number_text(const char* format, double number) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), format, number);
  return out.data();
}

std::string time_text(double ps) {
  constexpr double kPsPerUs = 1e6, kUsPerMs = 1e3;
  const double us = ps / kPsPerUs;
  return us < 10 * kUsPerMs ? number_text("%.4g us", us) : number_text("%.4g ms", us / kUsPerMs);
}

std::string bytes_text(double bytes) {
  constexpr double kOfKib = 1024;
  if (bytes < kOfKib) return number_text("%.4g B", bytes);
  if (bytes < kOfKib * kOfKib) return number_text("%.4g KiB", bytes / kOfKib);
  return number_text("%.4g MiB", bytes / (kOfKib * kOfKib));
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

class Drawing {
 public:
  explicit Drawing(const Plan& plan) : plan_(plan), traffic_(traffic_of(plan)) {}

  std::string draw() {
    out_ = "digraph \"" + label_text(plan_.graph) + "\" {\n  rankdir=LR; fontname=sans; labelloc=t;\n  label=\"" +
           title() + "\";\n  node [fontname=sans]; edge [fontname=sans, fontsize=9];\n";
    for (std::uint32_t c = 0; c < plan_.controllers.size(); ++c) draw_controller(c);
    for (std::uint32_t e = 0; e < plan_.edges.size(); ++e) draw_edge(e);
    return out_ + "}\n";
  }

 private:
  [[nodiscard]] std::string title() const {
    std::string text =
        label_text(plan_.graph) + ", model " + label_text(plan_.model) + ", window " + std::to_string(plan_.window);
    if (!plan_.certificate) return text;
    const Certificate& certificate = *plan_.certificate;
    const bool latency = certificate.goal.objective == "latency";
    return text + (latency ? "\\none instance takes " : "\\nan instance every ") +
           time_text(static_cast<double>(certificate.value_ps)) + " (" + label_text(certificate.status) +
           "); on edges what an instance sends, the wider the more bytes; gray: within a controller";
  }

  // Of all firings of an instance; below 0: not known.
  [[nodiscard]] double time_of(std::uint32_t s) const {
    if (!plan_.certificate || plan_.stages[s].role != StageRole::kKernel) return -1;
    const Certificate& certificate = *plan_.certificate;
    if (s >= certificate.placement.size() || s >= certificate.costs.stages.size()) return -1;
    const StageCosts& costs = certificate.costs.stages[s];
    const std::uint32_t component = certificate.placement[s];
    if (component >= costs.time_ps.size() || costs.time_ps[component] < 0) return -1;
    return static_cast<double>(costs.time_ps[component]) * static_cast<double>(costs.firings) / kPerMille;
  }

  void draw_controller(std::uint32_t c) {
    const ControllerPlan& controller = plan_.controllers[c];
    std::string stages;
    double busy = 0;
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].controller != c) continue;
      draw_stage(s, stages);
      busy += std::max(time_of(s), 0.0);
    }
    out_ += "  subgraph cluster_" + std::to_string(c) + " {\n    label=\"" + label_text(controller.name) + " (" +
            label_text(controller.backend) + ")" + (busy > 0 ? "\\n" + time_text(busy) : "") +
            "\"; style=filled; color=" + std::string(color_of(controller.kind)) + ";\n" + stages + "  }\n";
  }
  void draw_stage(std::uint32_t s, std::string& out) const {
    const StagePlan& stage = plan_.stages[s];
    std::string label = label_text(stage.name);
    if (!stage.kernel.empty()) label += "\\n" + label_text(stage.kernel);
    if (time_of(s) >= 0) label += "\\n" + time_text(time_of(s));
    const std::string shape = stage.role == StageRole::kKernel ? "box" : "ellipse";
    out += "    s" + std::to_string(s) + " [label=\"" + label + "\", shape=" + shape +
           ", style=filled, fillcolor=white];\n";
  }

  void draw_edge(std::uint32_t e) {
    const EdgePlan& edge = plan_.edges[e];
    out_ += "  s" + std::to_string(edge.from_stage) + " -> s" + std::to_string(edge.to_stage) + " [label=\"" +
            label_of(e) + "\"" + style_of(e) + "];\n";
  }
  [[nodiscard]] std::string label_of(std::uint32_t e) const {
    const EdgePlan& edge = plan_.edges[e];
    const OutputPortPlan& from = plan_.stages[edge.from_stage].outputs[edge.from_port];
    const InputPortPlan& to = plan_.stages[edge.to_stage].inputs[edge.to_port];
    std::string label = label_text(from.name) + " > " + label_text(to.name) + "\\n" + label_text(to_string(from.type)) +
                        "\\n" + std::to_string(edge.blocks) + " blocks";
    if (edge.count) label = "count";
    if (!edge.count && from.many != 0) label += "\\nat most " + std::to_string(from.many) + " elements";
    if (!edge.lane.empty()) label += "\\nlane " + label_text(edge.lane);
    if (edge.loop >= 0) {
      const LoopPlan& loop = plan_.loops[static_cast<std::size_t>(edge.loop)];
      label += "\\nloop " + label_text(loop.name) + ", at most " + std::to_string(loop.max);
    }
    return label + traffic_text(e);
  }
  [[nodiscard]] bool crosses(const EdgePlan& edge) const {
    return plan_.stages[edge.from_stage].controller != plan_.stages[edge.to_stage].controller;
  }
  [[nodiscard]] std::string traffic_text(std::uint32_t e) const {
    if (traffic_.empty()) return "";
    const Traffic& traffic = traffic_[e];
    const bool one = traffic.tokens == 1;
    return "\\n" + number_text("%.4g ", traffic.tokens) +
           (crosses(plan_.edges[e]) ? (one ? "message" : "messages") : (one ? "token" : "tokens")) + ", " +
           bytes_text(traffic.bytes);
  }
  [[nodiscard]] std::string style_of(std::uint32_t e) const {
    const EdgePlan& edge = plan_.edges[e];
    const InputPortPlan& to = plan_.stages[edge.to_stage].inputs[edge.to_port];
    std::string style;
    if (edge.loop >= 0) {
      style = ", style=bold, constraint=false";
    } else if (to.hold || edge.count) {
      style = ", style=dashed";
    }
    if (traffic_.empty()) return style;
    if (!crosses(edge)) return style + ", color=gray50";
    // From 1 for a packet without payload to 6 for 16 MiB or more.
    return style + number_text(", penwidth=%.1f", 1 + std::min(std::log2(1 + traffic_[e].bytes) * 5 / 24, 5.0));
  }

  const Plan& plan_;
  std::vector<Traffic> traffic_;
  std::string out_;
};

}  // namespace

std::string to_dot(const Plan& plan) { return Drawing(plan).draw(); }

}  // namespace woa
