#include "compiler/emit/dot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "compiler/predict/traffic.h"
#include "runtime/base/quantities.h"
#include "runtime/base/text.h"
#include "runtime/plan/index.h"

namespace woa {
namespace {

// Bytes of the character that `text` begins with, if a picture can show it; 0 for others, which XML does not allow.
std::size_t shown_length(std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7F) return 0;
  const bool no_character = text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
  return no_character ? 0 : utf8_length(text);
}

// `text` for use between quotes. Graphviz reads `\` and, in labels, HTML entities. Bytes that are no text become \xNN.
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

std::string ps_text(double ps) {
  constexpr double kPsPerUs = 1e6;
  return us_text(ps / kPsPerUs);
}

// Marks a device that is a model on every machine. Only a run can tell if an OpenCL device is a processor.
std::string backend_text(const ControllerPlan& controller) {
  return label_text(controller.backend) + (controller.backend == "verilator" ? ", simulated" : "");
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
  explicit Drawing(const CertifiedPlan& plan) : plan_(plan), traffic_(traffic_of(plan)) {}

  std::string draw() {
    inside_.resize(plan_.controllers.size());
    number_controllers();
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) draw_stage(s);
    for (std::uint32_t e = 0; e < plan_.edges.size(); ++e) draw_edge(e);
    std::string out = "digraph \"" + label_text(plan_.graph) +
                      "\" {\n  rankdir=LR; outputorder=edgesfirst; fontname=sans; labelloc=t;\n  label=\"" + title() +
                      "\";\n  node [fontname=sans]; edge [fontname=sans];\n" + "  subgraph cluster_all {\n  label=\"" +
                      legend() + "\"; labelloc=b; fontsize=10; color=white;\n";
    for (std::uint32_t c = 0; c < plan_.controllers.size(); ++c) out += controller_text(c);
    return out + between_ + "  }\n}\n";
  }

 private:
  [[nodiscard]] std::string title() const {
    std::string text =
        label_text(plan_.graph) + ", model " + label_text(plan_.model) + ", window " + std::to_string(plan_.window);
    if (!plan_.certificate) return text;
    const Certificate& certificate = *plan_.certificate;
    return text + (certificate.goal.objective == "latency" ? "\\none instance takes " : "\\nan instance every ") +
           ps_text(static_cast<double>(certificate.value_ps)) + " by the profile (" + label_text(certificate.status) +
           (modelled_stages(plan_).empty() ? ")" : ", modelled: it does not run)");
  }
  // Explains the signs in the picture that do not explain themselves.
  [[nodiscard]] std::string legend() const {
    const auto any = [&](auto is) { return std::ranges::any_of(plan_.edges, is); };
    std::string text = "on edges: output > input, type, blocks under way at most";
    if (!traffic_.empty()) text += "\\nand what an instance sends: the wider, the more bytes";
    if (any([&](const EdgePlan& edge) { return !crosses(edge); })) text += "\\ngray: within a controller";
    if (any([&](const EdgePlan& edge) { return edge.on_card; })) text += "\\norange: on the card, without the host";
    if (any([&](const EdgePlan& edge) { return edge.loop >= 0; })) text += "\\nred: round a loop";
    const bool signals = any([&](const EdgePlan& edge) { return edge.count && is_signal(plan_, edge); });
    const bool counts = any([&](const EdgePlan& edge) { return edge.count && !is_signal(plan_, edge); });
    const bool holds = any([&](const EdgePlan& edge) { return is_beside(edge) && !edge.count; });
    std::vector<std::string> dashed;
    if (holds) dashed.emplace_back("held");
    if (signals) dashed.emplace_back("a signal of the call model");
    if (counts) dashed.emplace_back("the number of elements");
    for (std::size_t k = 0; k < dashed.size(); ++k)
      text += (k == 0 ? "\\ndashed: " : k + 1 < dashed.size() ? ", " : ", or ") + dashed[k];
    return text;
  }

  // In ps, for all firings of an instance; below 0: unknown.
  [[nodiscard]] double time_of(std::uint32_t s) const {
    if (!plan_.certificate || plan_.stages[s].role != StageRole::kKernel) return -1;
    const Certificate& certificate = *plan_.certificate;
    if (s >= certificate.placement.size() || s >= certificate.costs.stages.size()) return -1;
    const StageCosts& costs = certificate.costs.stages[s];
    const std::uint32_t component = certificate.placement[s];
    if (component >= costs.time_ps.size() || costs.time_ps[component] < 0) return -1;
    return static_cast<double>(costs.time_ps[component]) * static_cast<double>(costs.firings) / kPerMillion;
  }

  // Numbers the controllers breadth-first from the source.
  void number_controllers() {
    turn_.assign(plan_.controllers.size(), static_cast<std::uint32_t>(plan_.controllers.size()));
    const auto readers = readers_by_stage(plan_);
    if (plan_.stages.empty()) return;
    std::vector<bool> reached(plan_.stages.size(), false);
    std::vector<std::uint32_t> stages{kSourceStage};
    reached[kSourceStage] = true;
    for (std::size_t at = 0, turn = 0; at < stages.size(); ++at) {
      std::uint32_t& of_controller = turn_[plan_.stages[stages[at]].controller];
      if (of_controller == turn_.size()) of_controller = static_cast<std::uint32_t>(turn++);
      for (const std::uint32_t reader : readers[stages[at]])
        if (!reached[reader]) reached[reader] = true, stages.push_back(reader);
    }
  }

  [[nodiscard]] std::string controller_text(std::uint32_t c) const {
    const ControllerPlan& controller = plan_.controllers[c];
    double busy = 0;
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s)
      if (plan_.stages[s].controller == c) busy += std::max(time_of(s), 0.0);
    return "  subgraph cluster_" + std::to_string(c) + " {\n    label=\"" + label_text(controller.name) + " (" +
           backend_text(controller) + ")" + (busy > 0 ? "\\n" + ps_text(busy) : "") +
           "\"; labelloc=b; labeljust=l; fontsize=14; style=filled; color=" + std::string(color_of(controller.kind)) +
           ";\n" + inside_[c] + "  }\n";
  }
  void draw_stage(std::uint32_t s) {
    const StagePlan& stage = plan_.stages[s];
    std::string label = label_text(stage.name);
    if (!stage.kernel.empty()) label += "\\n" + label_text(stage.kernel);
    if (time_of(s) >= 0) label += "\\n" + ps_text(time_of(s));
    const bool modelled = stage.variant.kind == kModelled;
    if (modelled) label += ", modelled";
    const std::string shape = stage.role == StageRole::kKernel ? "box" : "ellipse";
    inside_[stage.controller] += "    s" + std::to_string(s) + " [label=\"" + label + "\", shape=" + shape +
                                 ", style=" + (modelled ? "\"filled,dashed\"" : "filled") + ", fillcolor=white];\n";
  }

  // Makes the edge's text a node of its own, which other edges keep clear of; those that cannot pass under it. Graphviz
  // puts an edge's first end left of the second: so boxes stand in the order in which the source reaches them, and
  // calls that the host passes on stand in one column.
  void draw_edge(std::uint32_t e) {
    const EdgePlan& edge = plan_.edges[e];
    const std::uint32_t from = plan_.stages[edge.from_stage].controller, to = plan_.stages[edge.to_stage].controller;
    const std::string writer = "s" + std::to_string(edge.from_stage), reader = "s" + std::to_string(edge.to_stage),
                      text = "e" + std::to_string(e);
    (crosses(edge) ? between_ : inside_[from]) += "    " + text + " [label=\"" + label_of(e) +
                                                  "\", shape=plaintext, style=\"filled,rounded\", fillcolor=white, "
                                                  "fontsize=10, margin=\"0.06,0.03\", width=0, height=0];\n";
    const bool beside = !crosses(edge) && plan_.controllers[from].kind == ControllerKind::kHost;
    const std::string style = style_of(e) + (beside ? ", constraint=false];\n" : "];\n");
    if (turn_[from] <= turn_[to])
      between_ += "  " + writer + " -> " + text + " [dir=none" + style + "  " + text + " -> " + reader +
                  " [dir=forward" + style;
    else
      between_ +=
          "  " + reader + " -> " + text + " [dir=back" + style + "  " + text + " -> " + writer + " [dir=none" + style;
  }
  [[nodiscard]] std::string label_of(std::uint32_t e) const {
    const EdgePlan& edge = plan_.edges[e];
    const OutputPortPlan& from = plan_.stages[edge.from_stage].outputs[edge.from_port];
    const InputPortPlan& to = plan_.stages[edge.to_stage].inputs[edge.to_port];
    std::string label = label_text(from.name) + " > " + label_text(to.name) + "\\n" + label_text(to_string(from.type)) +
                        "\\n" + memory_text(edge);
    if (edge.count) label = is_signal(plan_, edge) ? "signal" : "count";
    if (!edge.count && from.many != 0) label += "\\nat most " + std::to_string(from.many) + " elements";
    if (!edge.lane.empty()) label += "\\nlane " + label_text(edge.lane);
    if (edge.loop >= 0) {
      const LoopPlan& loop = plan_.loops[static_cast<std::size_t>(edge.loop)];
      label += "\\nloop " + label_text(loop.name) + ", at most " + std::to_string(loop.max);
    }
    return label + traffic_text(e);
  }
  [[nodiscard]] static std::string memory_text(const EdgePlan& edge) {
    if (edge.on_card) return "on the card";
    return std::to_string(edge.blocks) + (edge.blocks == 1 ? " block" : " blocks");
  }
  [[nodiscard]] bool crosses(const EdgePlan& edge) const {
    return plan_.stages[edge.from_stage].controller != plan_.stages[edge.to_stage].controller;
  }
  [[nodiscard]] std::string traffic_text(std::uint32_t e) const {
    if (traffic_.empty()) return "";
    const Traffic& traffic = traffic_[e];
    const bool one = traffic.tokens == 1;
    return "\\n" + to_text("%.4g ", traffic.tokens) +
           (crosses(plan_.edges[e]) ? (one ? "message" : "messages") : (one ? "token" : "tokens")) + ", " +
           bytes_text(traffic.bytes);
  }
  // True if the edge does not carry one token for each firing.
  [[nodiscard]] bool is_beside(const EdgePlan& edge) const {
    return plan_.stages[edge.to_stage].inputs[edge.to_port].hold || edge.count;
  }
  [[nodiscard]] std::string style_of(std::uint32_t e) const {
    const EdgePlan& edge = plan_.edges[e];
    std::string style = is_beside(edge) ? ", style=dashed" : "";
    style += std::string(", color=") + (edge.loop >= 0  ? "firebrick"
                                        : edge.on_card  ? "darkorange"
                                        : crosses(edge) ? "black"
                                                        : "gray45");
    // Width: from 1 for a packet without payload to 6 for 16 MiB or more.
    if (!traffic_.empty() && crosses(edge))
      style += to_text(", penwidth=%.1f", 1 + std::min(std::log2(1 + traffic_[e].bytes) * 5 / 24, 5.0));
    return style;
  }

  const CertifiedPlan& plan_;
  std::vector<Traffic> traffic_;
  std::vector<std::uint32_t> turn_;  // by controller: its number from left to right
  std::vector<std::string> inside_;  // by controller: the text in its box
  std::string between_;
};

}  // namespace

std::string to_dot(const CertifiedPlan& plan) { return Drawing(plan).draw(); }

}  // namespace woa
