#include "compiler/place/copies.h"

#include <algorithm>
#include <utility>

#include "compiler/place/call_route.h"

namespace woa {
namespace {

constexpr std::uint32_t kFirstCopyable = 2;

Status wrong_copies(const std::string& what) { return {Code::kInvalid, "copies: " + what}; }

bool makes_system_calls(const std::vector<NeedUse>& needs) {
  return std::ranges::any_of(needs, [](const NeedUse& need) { return need.name == "syscalls"; });
}

bool takes_part_in_control_flow(const GraphStage& stage) {
  return stage.loop >= 0 ||
         std::ranges::any_of(stage.outputs, [](const auto& port) { return port.one_of >= 0 || port.many != 0; }) ||
         std::ranges::any_of(stage.inputs, [](const auto& port) { return port.gather != 0; });
}

// The time of a token with a KiB of payload.
std::uint64_t time_of_a_kib(const CostTable& table, const Route& route) {
  std::uint64_t time = 0;
  for (const Hop& hop : route.hops()) {
    const LinkCosts& link = table.links[hop.from * table.components.size() + hop.to];
    if (hop.message) time += link.latency_ps;
    if (hop.payload) time += link.ps_per_kib;
  }
  return time;
}

EdgeCosts joining(EdgeCosts edge, std::uint32_t from, std::uint32_t to) {
  edge.from = from, edge.to = to;
  return edge;
}

std::uint32_t index_in(const ComponentSet& set, std::uint32_t component) {
  return static_cast<std::uint32_t>(std::ranges::find(set, component) - set.begin());
}

}  // namespace

bool is_copyable(const Graph& graph, std::uint32_t s) {
  const GraphStage& stage = graph.stages[s];
  if (stage.kernel == nullptr || stage.kernel->stateful != Stateful::kNo || makes_system_calls(stage.kernel->needs))
    return false;
  if (!stage.decl->on.empty() || makes_system_calls(stage.decl->needs)) return false;
  if (stage.outputs.size() != 1 || stage.replicas > 1 || takes_part_in_control_flow(stage)) return false;
  const auto has_replicas = [&](std::uint32_t e) {
    const GraphEdge& edge = graph.edges[e];
    return graph.stages[edge.from_stage].replicas > 1 || graph.stages[edge.to_stage].replicas > 1;
  };
  const auto of_port = [&](const std::vector<std::uint32_t>& edges) {
    return std::ranges::any_of(edges, has_replicas);
  };
  return std::ranges::none_of(stage.in, of_port) && std::ranges::none_of(stage.out, of_port);
}

NearestCopy::NearestCopy(const CostTable& table, std::string model) : components_(table.components.size()) {
  for (std::uint32_t from = 0; from < components_; ++from)
    for (std::uint32_t to = 0; to < components_; ++to)
      time_.push_back(time_of_a_kib(table, route_of_token(model, from, to, false)));
}

std::uint32_t NearestCopy::of(const ComponentSet& writers, std::uint32_t reader) const {
  std::uint32_t nearest = writers.front();
  const auto rank = [&](std::uint32_t writer) {
    return std::pair(time_[writer * components_ + reader], writer != reader);
  };
  for (const std::uint32_t writer : writers)
    if (rank(writer) < rank(nearest)) nearest = writer;
  return nearest;
}

Placed with_copies(const CostTable& originals, const NearestCopy& nearest, const std::vector<ComponentSet>& places) {
  Placed out{originals, {}};
  out.table.stages.clear(), out.table.edges.clear();
  std::vector<std::uint32_t> first;
  for (std::size_t s = 0; s < places.size(); ++s) {
    first.push_back(static_cast<std::uint32_t>(out.table.stages.size()));
    for (std::uint32_t copy = 0; copy < places[s].size(); ++copy) {
      out.table.stages.push_back(originals.stages[s]);
      out.table.stages.back().copy = copy;
      out.placement.push_back(places[s][copy]);
    }
  }
  for (const EdgeCosts& edge : originals.edges) {
    for (std::uint32_t copy = 0; copy < places[edge.to].size(); ++copy) {
      const std::uint32_t from = nearest.of(places[edge.from], places[edge.to][copy]);
      out.table.edges.push_back(
          joining(edge, first[edge.from] + index_in(places[edge.from], from), first[edge.to] + copy));
    }
  }
  return out;
}

std::vector<ComponentSet> without_idle(const CostTable& originals, const NearestCopy& nearest,
                                       std::vector<ComponentSet> places) {
  for (bool changed = true; changed;) {  // copies whose readers were all idle are idle next
    std::vector<ComponentSet> used(places.size());
    for (const EdgeCosts& edge : originals.edges)
      for (const std::uint32_t reader : places[edge.to])
        used[edge.from].push_back(nearest.of(places[edge.from], reader));
    changed = false;
    for (std::size_t s = 0; s < places.size(); ++s) {
      if (places[s].size() == 1) continue;
      const auto idle = [&](std::uint32_t at) { return std::ranges::find(used[s], at) == used[s].end(); };
      const std::uint32_t first = places[s].front();
      changed = std::erase_if(places[s], idle) != 0 || changed;
      if (places[s].empty()) places[s] = {first};  // nobody reads from the stage at all
    }
  }
  return places;
}

namespace {

// Joins the copies of each stage, and the edges to them.
class CopyRemover {
 public:
  explicit CopyRemover(const CostTable& table) : table_(table), out_{table} {
    out_.table.stages.clear(), out_.table.edges.clear();
  }

  Result<Originals> run() {
    WOA_RETURN_IF_ERROR(find_stages());
    for (std::size_t e = 0; e < table_.edges.size();) {
      const EdgeCosts& edge = table_.edges[e];
      if (edge.from >= out_.stage_of.size() || edge.to >= out_.stage_of.size())
        return wrong_copies("an edge joins stages that there are not");
      const std::uint32_t from = out_.stage_of[edge.from], to = out_.stage_of[edge.to];
      for (std::uint32_t copy = 0; copy < count_[to]; ++copy, ++e) {
        WOA_RETURN_IF_ERROR(check_edge(e, edge, from, first_[to] + copy));
        out_.edge_of.push_back(static_cast<std::uint32_t>(out_.table.edges.size()));
      }
      out_.table.edges.push_back(joining(edge, from, to));
    }
    return std::move(out_);
  }

 private:
  Status find_stages() {
    for (std::uint32_t s = 0; s < table_.stages.size(); ++s) {
      StageCosts stage = table_.stages[s];
      const std::string name = "stage " + std::to_string(s);
      if (stage.copyable && s < kFirstCopyable) return wrong_copies(name + " is the host's");
      if (stage.copy == 0) {
        first_.push_back(s), count_.push_back(1);
        out_.table.stages.push_back(std::move(stage));
      } else {
        if (s == 0 || !stage.copyable || stage.copy != count_.back()) return wrong_copies(name + " is a copy of none");
        stage.copy = 0;
        if (stage != out_.table.stages.back()) return wrong_copies(name + " has other costs than what it is a copy of");
        ++count_.back();
      }
      out_.stage_of.push_back(static_cast<std::uint32_t>(first_.size() - 1));
    }
    return {};
  }
  // Checks that edge `e` is like the first of its group: from a copy of stage `from`, to copy `to`.
  [[nodiscard]] Status check_edge(std::size_t e, const EdgeCosts& like, std::uint32_t from, std::uint32_t to) const {
    const auto is_like = [&](const EdgeCosts& edge) {
      return edge.to == to && edge.from < out_.stage_of.size() && out_.stage_of[edge.from] == from &&
             edge == joining(like, edge.from, to);
    };
    if (e < table_.edges.size() && is_like(table_.edges[e])) return {};
    return wrong_copies("stage " + std::to_string(to) + " has not the edges of what it is a copy of");
  }

  const CostTable& table_;
  Originals out_;
  std::vector<std::uint32_t> first_, count_;  // by original stage: its first copy, and how many it has
};

}  // namespace

std::vector<ComponentSet> places_of(const Originals& originals, const std::vector<std::uint32_t>& placement) {
  std::vector<ComponentSet> places(originals.table.stages.size());
  for (std::size_t s = 0; s < placement.size(); ++s) places[originals.stage_of[s]].push_back(placement[s]);
  return places;
}

Result<Originals> without_copies(const CostTable& table) { return CopyRemover(table).run(); }

}  // namespace woa
