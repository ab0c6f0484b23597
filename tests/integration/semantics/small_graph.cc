#include "tests/integration/semantics/small_graph.h"

namespace woa::test {
namespace {

constexpr int kMostPorts = 6;

std::string name_of(const SmallStage& kernel) {
  return "k" + std::to_string(kernel.inputs) + "_" + std::to_string(kernel.outputs) +
         (kernel.leaves_out ? "_leaves_out" : "") + (kernel.may_lack ? "_may_lack" : "") +
         (kernel.scatters ? "_scatters" : "") + (kernel.gathers ? "_gathers" : "");
}

std::string described(const SmallStage& kernel) {
  std::string text = "woa_kernel: 1\nname: " + name_of(kernel) + "\nin:\n";
  for (int i = 0; i < kernel.inputs; ++i) {
    text += "  i" + std::to_string(i) + ": {type: bytes, max: 64" + (kernel.may_lack ? ", optional: true" : "") +
            (kernel.gathers ? ", gather: true" : "") + "}\n";
  }
  text += "out:\n";
  for (int o = 0; o < kernel.outputs; ++o) {
    text += "  o" + std::to_string(o) + ": {type: bytes, max: 64" + (kernel.outputs > 1 ? ", one_of: way" : "") +
            (kernel.leaves_out ? ", optional: true" : "") + (kernel.scatters ? ", many: {max: 2}" : "") + "}\n";
  }
  return text + (kernel.one_kind() ? kOneVariant : kTwoVariants) + "library: libk.so\n";
}

std::vector<SmallStage> all_kernels() {
  std::vector<SmallStage> all;
  for (int i = 1; i <= kMostPorts; ++i) {
    for (const bool may_lack : {false, true}) {
      for (int o = 1; o <= kMostPorts; ++o) all.push_back({i, o, false, may_lack, false, false});
      all.push_back({i, 1, true, may_lack, false, false});
    }
    all.push_back({i, 1, false, false, true, false});
  }
  for (int o = 1; o <= kMostPorts; ++o) all.push_back({1, o, false, false, false, true});
  return all;
}

std::string writer(const SmallEdge& edge, int max_turns, bool first_of_loop) {
  const std::string from =
      edge.from == kSource ? "x" : "s" + std::to_string(edge.from) + ".o" + std::to_string(edge.out);
  if (edge.loop < 0 && !edge.hold) return from;
  std::string text = "{from: " + from;
  if (edge.hold) text += ", hold: true";
  if (edge.loop >= 0)
    text += ", loop: {" + (first_of_loop ? "max: " + std::to_string(max_turns) + ", " : std::string()) + "name: l" +
            std::to_string(edge.loop) + "}";
  return text + "}";
}

// All that writes to a port.
std::string writers(const SmallGraph& graph, int to, int in) {
  std::string text;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const SmallEdge& edge = graph.edges[e];
    if (edge.to != to || edge.in != in) continue;
    bool first = true;
    for (std::size_t earlier = 0; earlier < e; ++earlier) first = first && graph.edges[earlier].loop != edge.loop;
    text += (text.empty() ? "[" : ", ") + writer(edge, graph.max_turns, first);
  }
  return text + "]";
}

}  // namespace

std::string SmallGraph::text() const {
  std::string all = "woa: 1\ngraph: small\ninputs: {x: {type: bytes, max: 64}}\nstages:\n";
  for (int s = 0; s < sink(); ++s) {
    const SmallStage& stage = stages[static_cast<std::size_t>(s)];
    all += "  s" + std::to_string(s) + ": {kernel: " + name_of(stage) + ", in: {";
    for (int i = 0; i < stage.inputs; ++i)
      all += (i > 0 ? ", i" : "i") + std::to_string(i) + ": " + writers(*this, s, i);
    all += "}}\n";
  }
  all += "outputs: {";
  for (int y = 0; y < outputs; ++y) all += (y > 0 ? ", y" : "y") + std::to_string(y) + ": " + writers(*this, sink(), y);
  return all + "}\n";
}

void describe_small_kernels(KernelFolder& folder) {
  for (const SmallStage& kernel : all_kernels()) folder.add(name_of(kernel), described(kernel));
}

}  // namespace woa::test
