#include "compiler/place/solver/minimum_cut.h"

#include <algorithm>
#include <array>
#include <queue>

namespace woa::assign {
namespace {

// Maximum flow by Dinic's algorithm ("Algorithm for solution of a problem of maximum flow in networks with power
// estimation", 1970).
class Network {
 public:
  explicit Network(std::size_t nodes) : arcs_of_(nodes) {}

  // Returns the arc's number; its reverse, of capacity 0, has the next one.
  std::size_t add(std::uint32_t from, std::uint32_t to, Sum capacity) {
    const std::size_t number = arcs_.size();
    arcs_of_[from].push_back(number), arcs_of_[to].push_back(number + 1);
    arcs_.push_back({to, capacity}), arcs_.push_back({from, 0});
    return number;
  }
  void flow(std::uint32_t source, std::uint32_t sink) {
    while (layer(source, sink)) {
      next_.assign(arcs_of_.size(), 0);
      while (push(source, sink)) {
      }
    }
  }
  // The flow through an arc that was added.
  [[nodiscard]] Sum through(std::size_t arc) const { return arcs_[arc + 1].room; }
  // After flow(): is the node on the source's side of the cut?
  [[nodiscard]] bool reachable(std::uint32_t node) const { return depth_[node] != kUnseen; }

 private:
  static constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  struct Arc {
    std::uint32_t to;
    Sum room;
  };

  bool layer(std::uint32_t source, std::uint32_t sink) {
    depth_.assign(arcs_of_.size(), kUnseen);
    depth_[source] = 0;
    std::queue<std::uint32_t> queue({source});
    for (; !queue.empty(); queue.pop()) {
      for (const std::size_t number : arcs_of_[queue.front()]) {
        const Arc& arc = arcs_[number];
        if (arc.room == 0 || depth_[arc.to] != kUnseen) continue;
        depth_[arc.to] = depth_[queue.front()] + 1;
        queue.push(arc.to);
      }
    }
    return depth_[sink] != kUnseen;
  }
  // Augments one path of rising depth, found without recursion: paths are as long as the graph is deep.
  bool push(std::uint32_t source, std::uint32_t sink) {
    std::vector<std::size_t> way;
    for (std::uint32_t node = source; node != sink;) {
      if (const std::size_t arc = step(node); arc != arcs_.size()) {
        way.push_back(arc);
        node = arcs_[arc].to;
      } else if (way.empty()) {
        return false;
      } else {
        node = arcs_[way.back() ^ 1].to;
        ++next_[node];
        way.pop_back();
      }
    }
    Sum most = arcs_[way.front()].room;
    for (const std::size_t arc : way) most = std::min(most, arcs_[arc].room);
    for (const std::size_t arc : way) arcs_[arc].room -= most, arcs_[arc ^ 1].room += most;
    return true;
  }
  // The next arc from the node that leads on; arcs_.size(): none.
  std::size_t step(std::uint32_t node) {
    for (std::size_t& k = next_[node]; k < arcs_of_[node].size(); ++k) {
      const Arc& arc = arcs_[arcs_of_[node][k]];
      if (arc.room > 0 && depth_[arc.to] == depth_[node] + 1) return arcs_of_[node][k];
    }
    return arcs_.size();
  }

  std::vector<std::vector<std::size_t>> arcs_of_;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> depth_;
  std::vector<std::size_t> next_;  // by node: earlier arcs do not lead on
};

// An edge's costs are q00 + rise_from [from at 1] + rise_to [to at 1] + apart [from at 0, to at 1].
struct Parts {
  Sum rise_from, rise_to, apart;
};
Parts parts_of(const Edge& edge) {
  const auto& q = edge.cost;
  return {Sum{q[2]} - q[0], Sum{q[3]} - q[2], Sum{q[1]} + q[2] - q[0] - q[3]};
}

Sum more_than_all(const Problem& problem) {
  Sum sum = 1;
  for (const auto& node : problem.nodes)
    for (const Cost cost : node) sum += cost == kForbidden ? 0 : cost;
  for (const Edge& edge : problem.edges)
    for (const Cost cost : edge.cost) sum += cost;
  return sum;
}

// By node and component: the node's cost with its share of its edges; more than everything if it may not be there.
std::vector<std::array<Sum, 2>> shares(const Problem& problem) {
  std::vector<std::array<Sum, 2>> costs(problem.nodes.size());
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (std::size_t l = 0; l < 2; ++l) costs[i][l] = problem.nodes[i][l] == kForbidden ? 0 : problem.nodes[i][l];
  for (const Edge& edge : problem.edges) {
    const Parts parts = parts_of(edge);
    costs[edge.from][1] += parts.rise_from, costs[edge.to][1] += parts.rise_to;
  }
  const Sum most = more_than_all(problem);
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (std::size_t l = 0; l < 2; ++l)
      if (problem.nodes[i][l] == kForbidden) costs[i][l] += 4 * most;
  return costs;
}

}  // namespace

bool is_cut(const Problem& problem) {
  return problem.components == 2 && sum_alone(problem) &&
         std::ranges::all_of(problem.edges, [](const Edge& edge) { return parts_of(edge).apart >= 0; });
}

Solved solve_cut(const Problem& problem) {
  const auto count = static_cast<std::uint32_t>(problem.nodes.size());
  const std::uint32_t source = count, sink = count + 1;  // the source's side is component 0
  Network network(count + 2);
  std::vector<std::size_t> arcs;
  for (const Edge& edge : problem.edges) arcs.push_back(network.add(edge.from, edge.to, parts_of(edge).apart));
  const auto costs = shares(problem);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Sum least = std::min(costs[i][0], costs[i][1]);
    network.add(source, i, costs[i][1] - least);
    network.add(i, sink, costs[i][0] - least);
  }
  network.flow(source, sink);
  Solved solved{Placement(count), no_multipliers(problem)};
  for (std::uint32_t i = 0; i < count; ++i) solved.placement[i] = network.reachable(i) ? 0 : 1;
  // The flow through an edge pays for its ends being apart, shared out to them:
  // [from at 0, to at 1] = [from at 0] - [to at 0] + [from at 1, to at 0].
  for (std::size_t e = 0; e < arcs.size(); ++e) {
    const Parts parts = parts_of(problem.edges[e]);
    const Sum flow = network.through(arcs[e]);
    solved.proof.from[e] = {flow, parts.rise_from};
    solved.proof.to[e] = {-flow, parts.rise_to};
  }
  return solved;
}

}  // namespace woa::assign
