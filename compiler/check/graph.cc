#include "compiler/check/graph.h"

namespace woa {

void Graph::cut(const std::vector<bool>& marked) {
  constexpr std::uint32_t kCut = ~0U;
  std::vector<std::uint32_t> number(edges.size(), kCut);
  std::vector<GraphEdge> kept;
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    if (marked[e]) {
      stages[edges[e].to_stage].broken[edges[e].to_port] = true;
      whole = false;
    } else {
      number[e] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(edges[e]));
    }
  }
  edges = std::move(kept);
  for (GraphStage& stage : stages) {
    for (auto* ports : {&stage.in, &stage.out}) {
      for (std::vector<std::uint32_t>& port : *ports) {
        std::erase_if(port, [&](std::uint32_t e) { return number[e] == kCut; });
        for (std::uint32_t& e : port) e = number[e];
      }
    }
  }
}

std::string Graph::output_name(std::uint32_t stage, std::uint32_t port) const {
  const std::string& name = stages[stage].outputs[port].name;
  return stage == kSourceStage ? name : stages[stage].name + "." + name;
}

std::string Graph::input_name(std::uint32_t stage, std::uint32_t port) const {
  const std::string& name = stages[stage].inputs[port].name;
  return stage == kSinkStage ? name : stages[stage].name + "." + name;
}

std::int32_t Graph::common(std::int32_t a, std::int32_t b) const {
  while (a != b) {
    if (depth(a) >= depth(b)) {
      a = parent(a);
    } else {
      b = parent(b);
    }
  }
  return a;
}

std::int32_t Graph::scatter_around(std::int32_t context) const {
  while (context >= 0 && !loops[static_cast<std::size_t>(context)].scatter) context = parent(context);
  return context;
}

}  // namespace woa
