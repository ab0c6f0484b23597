#include "compiler/predict/critical_path.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/check/components.h"
#include "runtime/plan/plan.h"

namespace woa {
namespace {

struct JoinedEdge {
  const EdgePlan* edge;    // of the plan: the first of the joined ones; borrowed
  std::uint32_t from, to;  // stages, as in Joined::stages
  Way way;                 // of all tokens of an instance
  Sum tokens = 0;          // in millionths
};

struct Joined {
  std::vector<std::uint32_t> stages;  // of the plan: those without replicas, and first replicas
  std::vector<Way> ways;              // by stage of the plan, of all firings of an instance; other replicas: 0
  std::vector<Sum> firings;           // by stage of the plan, of an instance, in millionths
  std::vector<JoinedEdge> edges;
};

// Joins replicas. Times of replicas that share instances add up to the mean of an instance. Those that share the
// elements of a scatter work at once: the slowest counts. `costs` covers each stage and edge of `plan`; `stages` and
// `edges` are their times.
Joined join_replicas(const Plan& plan, const CostTable& costs, const std::vector<Way>& stages,
                     const std::vector<Way>& edges);

// The input port of an edge; null if the stage has none: a plan made by hand may lack ports.
const InputPortPlan* input_of(const Plan& plan, const EdgePlan& edge);

// The longer path, with the larger hops of the two.
Way longer(const Way& a, const Way& b);

class Joiner {
 public:
  Joiner(const Plan& plan, const CostTable& costs) : plan_(plan), costs_(costs) {
    for (std::uint32_t s = 0; s < costs.stages.size(); ++s) {
      first_.push_back(s > 0 && is_next(s) ? first_[s - 1] : s);
      if (first_[s] == s) joined_.stages.push_back(s);
    }
    find_parallel();
  }

  Joined join(const std::vector<Way>& stages, const std::vector<Way>& edges) {
    joined_.ways.resize(stages.size());
    joined_.firings.resize(stages.size());
    for (std::uint32_t s = 0; s < stages.size(); ++s) {
      const std::uint32_t first = first_[s];
      joined_.ways[first] = both(joined_.ways[first], stages[s], parallel_[first]);
      joined_.firings[first] += costs_.stages[s].firings;
    }
    for (std::uint32_t e = 0; e < edges.size(); ++e) add(e, edges[e]);
    return std::move(joined_);
  }

 private:
  // True for NAME[1] after NAME[0]: no stage of a graph has such a name.
  [[nodiscard]] bool is_next(std::uint32_t s) const {
    const std::string &name = plan_.stages[s].name, &before = plan_.stages[s - 1].name;
    const std::size_t bracket = name.find('[');
    return bracket != std::string::npos && before.compare(0, bracket + 1, name, 0, bracket + 1) == 0;
  }
  static Way both(const Way& a, const Way& b, bool parallel) { return parallel ? longer(a, b) : a + b; }

  // Marks the replicas that share elements of a scatter, and those that get theirs from such replicas.
  void find_parallel() {
    parallel_.resize(first_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t e = 0; e < costs_.edges.size(); ++e) {
        const EdgePlan& edge = plan_.edges[e];
        const std::uint32_t from = first_[edge.from_stage], to = first_[edge.to_stage];
        const InputPortPlan* const input = input_of(plan_, edge);
        const bool gathers = input != nullptr && input->gather > 0;
        const bool given = edge.choice.replicas == 1 && parallel_[from] && has_replicas(to) && !gathers;
        if (parallel_[to] || (edge.choice.bits == 0 && !given)) continue;
        parallel_[to] = changed = true;
      }
    }
  }
  [[nodiscard]] bool has_replicas(std::uint32_t first) const {
    return first + 1 < first_.size() && first_[first + 1] == first;
  }

  void add(std::uint32_t e, const Way& way) {
    const EdgePlan& edge = plan_.edges[e];
    const std::uint32_t from = first_[edge.from_stage], to = first_[edge.to_stage];
    const auto [known, is_new] =
        known_.try_emplace({from, edge.from_port, to, edge.to_port, edge.count}, joined_.edges.size());
    if (is_new) joined_.edges.push_back({&edge, from, to, {}, 0});
    JoinedEdge& joined = joined_.edges[known->second];
    joined.way = both(joined.way, way, parallel_[from] || parallel_[to]);
    joined.tokens += costs_.edges[e].tokens;
  }

  const Plan& plan_;
  const CostTable& costs_;
  std::vector<std::uint32_t> first_;  // by stage of the plan: itself, or its first replica
  std::vector<bool> parallel_;        // by first replica
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, bool>, std::size_t> known_;
  Joined joined_;
};

const InputPortPlan* input_of(const Plan& plan, const EdgePlan& edge) {
  const auto& inputs = plan.stages[edge.to_stage].inputs;
  return edge.to_port < inputs.size() ? &inputs[edge.to_port] : nullptr;
}

Way longer(const Way& a, const Way& b) {
  Way way = a.ps >= b.ps ? a : b;
  way.hops = std::max(a.hops, b.hops);
  return way;
}

Joined join_replicas(const Plan& plan, const CostTable& costs, const std::vector<Way>& stages,
                     const std::vector<Way>& edges) {
  return Joiner(plan, costs).join(stages, edges);
}

}  // namespace

namespace {

constexpr Sum kEachInstance = kPerMillion;  // taken once

// Cap on times, whatever a table holds: prediction.cc refuses as much, and sums of it are still exact.
constexpr Sum kLongest = Sum{1} << 80;

Way bounded(const Way& way) {
  return {std::min(way.ps, kLongest), std::min(way.kernels_ps, kLongest), std::min(way.hops, kLongest)};
}

Way times(const Way& way, Sum factor, Sum divisor) {
  if (divisor == 0) return {};  // it never comes
  return {way.ps * factor / divisor, way.kernels_ps * factor / divisor, way.hops * factor / divisor};
}

// Arrivals at an input port, from outside the loop that the port's stage may be in.
struct Arrivals {
  Way last, sum;          // sum: of all, weighted by how often each is taken
  Sum most = 0, all = 0;  // how often they are taken, in millionths
  Sum tokens = 0;
  std::uint32_t scatters = 0;  // around the tokens
  bool together = false;       // waits for all writers, not for one
  bool held = false;           // may arrive though the stage is not taken
};

// A stage, or all stages of a loop and its inner loops.
struct Node {
  std::vector<std::uint32_t> stages;
  bool loops = false;
  Way total;  // of its stages, and of edges between them
  std::map<std::pair<std::uint32_t, std::uint32_t>, Arrivals> ports;
  // Set by finish(), once all has arrived:
  Way end;                     // to its end, if it is taken
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
  // Makes a node of each stage or loop, after the nodes that it writes to.
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
    // Elements of a scatter may take different branches, and the scatter as a whole takes all of them.
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
