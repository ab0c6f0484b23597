#include "compiler/place/critical_path.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "compiler/check/components.h"
#include "compiler/place/joined_replicas.h"

namespace woa {
namespace {

using assign::Sum;

constexpr Sum kEachInstance = kPerMillion;  // taken once

// Whatever stands in a table: more than this is refused (prediction.cc), and sums of it are still exact.
constexpr Sum kLongest = Sum{1} << 80;

Way bounded(const Way& way) {
  return {std::min(way.ps, kLongest), std::min(way.kernels_ps, kLongest), std::min(way.hops, kLongest)};
}

Way times(const Way& way, Sum factor, Sum divisor) {
  if (divisor == 0) return {};  // it never comes
  return {way.ps * factor / divisor, way.kernels_ps * factor / divisor, way.hops * factor / divisor};
}

// What has come to an input port, from outside the loop that the port's stage may be in.
struct Arrivals {
  Way last, sum;          // sum: of each, by how often it is taken
  Sum most = 0, all = 0;  // how often they are taken, in millionths
  Sum tokens = 0;
  std::uint32_t scatters = 0;  // around the tokens
  bool together = false;       // all writers' are waited for, not one's
  bool held = false;           // may come though the stage is not taken
};

// A stage, or all stages of a loop and of those in it.
struct Node {
  std::vector<std::uint32_t> stages;
  bool loops = false;
  Way total;  // of its stages, and of edges between them
  std::map<std::pair<std::uint32_t, std::uint32_t>, Arrivals> ports;
  // Known when all has come:
  Way end;                     // where it is taken
  Sum taken = 0, entered = 0;  // by an instance, in millionths; entered: with each element of a scatter anew
  std::uint32_t scatters = 0;  // around it
};

class CriticalPath {
 public:
  CriticalPath(const Plan& plan, const Joined& graph)
      : plan_(plan), graph_(graph), node_of_(graph.ways.size()), out_(graph.ways.size()) {
    join_loops();
    for (const std::uint32_t s : graph.stages) add(graph.ways[s], nodes_[node_of_[s]]);
    for (const JoinedEdge& edge : graph.edges) {
      if (!is_within(edge)) continue;
      Node& node = nodes_[node_of_[edge.from]];
      node.loops = true;
      add(edge.way, node);
    }
  }

  Way find() {
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      finish(nodes_[n]);
      for (const std::uint32_t s : nodes_[n].stages)
        for (const JoinedEdge* edge : out_[s])
          if (!is_within(*edge)) deliver(*edge, nodes_[n]);
    }
    return nodes_[node_of_[kSinkStage]].end;
  }

 private:
  // Nodes come after those that they write to.
  void join_loops() {
    Adjacency next(out_.size());
    for (const JoinedEdge& edge : graph_.edges) {
      out_[edge.from].push_back(&edge);
      next[edge.from].push_back(edge.to);
    }
    for (auto& stages : strong_components(next, graph_.stages, std::vector<std::uint32_t>(out_.size(), 0), 0)) {
      for (const std::uint32_t s : stages) node_of_[s] = nodes_.size();
      nodes_.emplace_back().stages = std::move(stages);
    }
  }
  static void add(const Way& way, Node& node) { node.total = node.total + way; }
  [[nodiscard]] bool is_within(const JoinedEdge& edge) const { return node_of_[edge.from] == node_of_[edge.to]; }

  void finish(Node& node) {
    if (node.ports.empty()) node.taken = kEachInstance;
    const bool all_held = std::ranges::all_of(node.ports, [](const auto& port) { return port.second.held; });
    for (const auto& [port, arrivals] : node.ports) {
      node.end = longer(node.end, arrivals.together ? arrivals.last : times(arrivals.sum, 1, arrivals.all));
      if (arrivals.held && !all_held) continue;
      node.taken = std::max(node.taken, arrivals.together ? arrivals.most : arrivals.all);
      node.scatters = std::max(node.scatters, arrivals.scatters);
      node.entered = std::max(node.entered, arrivals.tokens);
    }
    if (!node.loops) node.entered = graph_.firings[node.stages.front()];
    node.taken = std::min(node.taken, kEachInstance);
    node.end = bounded(node.end + times(node.total, kEachInstance, node.taken));
    node.ports.clear();
  }

  void deliver(const JoinedEdge& edge, const Node& from) {
    const InputPortPlan* const input = input_of(plan_, *edge.edge);
    const bool gather = input != nullptr && input->gather > 0;
    const std::uint32_t scatters = from.scatters + (scatters_on(*edge.edge) ? 1 : 0);
    Arrivals& port = nodes_[node_of_[edge.to]].ports[{edge.to, edge.edge->to_port}];
    port.together = port.together || gather || scatters > 0;
    port.held = input != nullptr && input->hold;
    port.scatters = std::max(port.scatters, gather && scatters > 0 ? scatters - 1 : scatters);
    if (!gather) port.tokens += edge.tokens;
    // Elements of a scatter may go different ways, and the scatter goes all of them.
    Sum taken = from.taken;
    if (!gather && scatters == 0) taken = from.entered == 0 ? 0 : from.taken * edge.tokens / from.entered;
    taken = std::min(taken, kEachInstance);
    const Way end = bounded(from.end + times(edge.way, kEachInstance, taken));
    port.last = longer(port.last, end);
    port.sum = port.sum + times(end, taken, 1);
    port.most = std::max(port.most, taken);
    port.all += taken;
  }
  [[nodiscard]] bool scatters_on(const EdgePlan& edge) const {
    const auto& outputs = plan_.stages[edge.from_stage].outputs;
    return !edge.count && edge.from_port < outputs.size() && outputs[edge.from_port].many > 0;
  }

  const Plan& plan_;
  const Joined& graph_;
  std::vector<std::size_t> node_of_;                 // by stage
  std::vector<std::vector<const JoinedEdge*>> out_;  // by stage
  std::vector<Node> nodes_;
};

}  // namespace

Way critical_path(const Plan& plan, const CostTable& costs, const std::vector<Way>& stages,
                  const std::vector<Way>& edges) {
  return CriticalPath(plan, join_replicas(plan, costs, stages, edges)).find();
}

}  // namespace woa
