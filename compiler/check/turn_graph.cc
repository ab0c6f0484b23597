#include "compiler/check/turn_graph.h"

#include <algorithm>
#include <numeric>

namespace woa {

TurnGraphs::TurnGraphs(const Graph& graph) : graph_(graph), turns_(graph.loops.size() + 1) {
  const std::size_t items = graph.stages.size() + graph.loops.size();
  held_.resize(items);
  next_.resize(items);
  open_.resize(items);
  position_.resize(items);
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) add_edge(e);
  for (TurnGraph& turn : turns_) {
    std::sort(turn.entries.begin(), turn.entries.end());
    turn.entries.erase(std::unique(turn.entries.begin(), turn.entries.end()), turn.entries.end());
  }
  sort_items();
}

std::uint32_t TurnGraphs::item(std::int32_t context, std::uint32_t stage) const {
  std::int32_t loop = graph_.stages[stage].loop;
  if (loop == context) return stage;
  while (graph_.parent(loop) != context) loop = graph_.parent(loop);
  return item_of(loop);
}

void TurnGraphs::add_edge(std::uint32_t e) {
  const GraphEdge& edge = graph_.edges[e];
  const PortId port{edge.to_stage, edge.to_port};
  for (std::int32_t l = graph_.stages[edge.from_stage].loop; l != edge.context; l = graph_.parent(l)) {
    turns_[static_cast<std::size_t>(l + 1)].exits.push_back(e);
  }
  if (edge.loop >= 0) {
    turns_[static_cast<std::size_t>(edge.loop + 1)].again.push_back(e);
    return;
  }
  const std::uint32_t from = item(edge.context, edge.from_stage), to = item(edge.context, edge.to_stage);
  next_[from].push_back(to);
  ++open_[to];
  if (edge.hold) {
    std::vector<PortId>& held = held_[to];
    if (std::find(held.begin(), held.end(), port) == held.end()) held.push_back(port);
    return;
  }
  for (std::int32_t l = graph_.stages[edge.to_stage].loop; l != edge.context; l = graph_.parent(l)) {
    turns_[static_cast<std::size_t>(l + 1)].entries.push_back(port);
  }
}

void TurnGraphs::sort_items() {
  std::vector<std::uint32_t> ready;
  const auto append = [&](std::int32_t context, std::uint32_t item) {
    std::vector<std::uint32_t>& order = turns_[static_cast<std::size_t>(context + 1)].order;
    position_[item] = static_cast<std::uint32_t>(order.size());
    order.push_back(item);
    ready.push_back(item);
  };
  const auto context_of = [&](std::uint32_t item) {
    return is_loop(item) ? graph_.parent(loop_of(item)) : graph_.stages[item].loop;
  };
  for (std::uint32_t item = 0; item < next_.size(); ++item) {
    const bool unused = is_loop(item) && !graph_.loops[item - graph_.stages.size()].found;
    if (open_[item] == 0 && !unused) append(context_of(item), item);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const std::uint32_t to : next_[ready[i]]) {
      if (--open_[to] == 0) append(context_of(to), to);
    }
  }
}

std::vector<std::int32_t> TurnGraphs::inner_first() const {
  std::vector<std::int32_t> contexts(graph_.loops.size() + 1);
  std::iota(contexts.begin(), contexts.end(), -1);
  std::stable_sort(contexts.begin(), contexts.end(),
                   [&](std::int32_t a, std::int32_t b) { return graph_.depth(a) > graph_.depth(b); });
  return contexts;
}

}  // namespace woa
