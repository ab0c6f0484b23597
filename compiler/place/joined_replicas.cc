#include "compiler/place/joined_replicas.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace woa {
namespace {

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
  // NAME[1] after NAME[0]: no stage of a graph has such a name.
  [[nodiscard]] bool is_next(std::uint32_t s) const {
    const std::string &name = plan_.stages[s].name, &before = plan_.stages[s - 1].name;
    const std::size_t bracket = name.find('[');
    return bracket != std::string::npos && before.compare(0, bracket + 1, name, 0, bracket + 1) == 0;
  }
  static Way both(const Way& a, const Way& b, bool parallel) { return parallel ? longer(a, b) : a + b; }

  // The replicas among which elements are chosen, and those that get theirs from such.
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

}  // namespace

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

}  // namespace woa
