#include <algorithm>
#include <bit>
#include <numeric>

#include "compiler/check/loops.h"

namespace woa {
namespace {

class TurnChecker {
 public:
  TurnChecker(Graph& graph, Report& report) : graph_(graph), report_(report) {}

  void run() {
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) {
      for (std::uint32_t p = 0; p < graph_.stages[s].in.size(); ++p) {
        GraphStage& stage = graph_.stages[s];
        if (stage.broken[p] || stage.in[p].empty()) continue;
        stage.broken[p] = !(stage.inputs[p].hold ? check_held(stage, p) : check_open(stage, p));
      }
    }
  }

 private:
  bool check_held(const GraphStage& stage, std::uint32_t p) {
    const GraphEdge& first = graph_.edges[stage.in[p][0]];
    for (const std::uint32_t e : stage.in[p]) {
      const GraphEdge& edge = graph_.edges[e];
      if (edge.context != first.context) {
        report_.error(problem::kBadHold, edge.place,
                      cat("the writers of held input ", quote(graph_.reader_name(first)), " lie in different loops"),
                      "let all of them lie before the same loop", {{first.place, "another writer"}});
        return false;
      }
      if (scatter_of(edge) != scatter_of(first)) {  // one is held for each element, the other for all of them
        report_.error(problem::kBadHold, edge.place,
                      cat("held input ", quote(graph_.reader_name(first)),
                          " has writers that write elements of a scatter and others that do not"),
                      "hold them in inputs of their own", {{first.place, "another writer"}});
        return false;
      }
    }
    return true;
  }

  // The scatter that the edge's writer starts at that port, or -1.
  [[nodiscard]] std::int32_t scatter_of(const GraphEdge& edge) const {
    const std::vector<std::int32_t>& starts = graph_.stages[edge.from_stage].starts;
    return starts.empty() ? -1 : starts[edge.from_port];
  }

  // Each loop around the stage that begins after the port's earliest writer must have a loop edge there, innermost
  // first; no other loop may.
  bool check_open(const GraphStage& stage, std::uint32_t p) {
    const GraphEdge* entry = nullptr;
    for (const std::uint32_t e : stage.in[p]) {
      const GraphEdge& edge = graph_.edges[e];
      const bool earlier = entry == nullptr || graph_.depth(edge.context) < graph_.depth(entry->context);
      if (edge.loop < 0 && earlier) entry = &edge;
    }
    for (const std::uint32_t e : stage.in[p]) {
      const GraphEdge& edge = graph_.edges[e];
      if (edge.loop < 0 || (entry != nullptr && graph_.depth(edge.loop) > graph_.depth(entry->context))) continue;
      report_.error(problem::kLoopEntry, edge.place,
                    cat("nothing writes ", quote(graph_.reader_name(edge)), " before the first turn of loop ",
                        quote(graph_.loops[static_cast<std::size_t>(edge.loop)].name)),
                    "add a writer that lies before the loop: `[BEFORE.PORT, {from: ..., loop: ...}]`");
      return false;
    }
    for (std::int32_t loop = stage.loop; graph_.depth(loop) > graph_.depth(entry->context);
         loop = graph_.parent(loop)) {
      const GraphLoop& around = graph_.loops[static_cast<std::size_t>(loop)];
      if (around.scatter || has_loop_edge(stage, p, loop)) continue;
      report_.error(problem::kFedOnce, entry->place,
                    cat("stage ", quote(stage.name), " fires every turn of loop ", quote(around.name), ", but ",
                        quote(graph_.reader_name(*entry)), " is written from before the loop, once"),
                    cat("to use one value in every turn write `{from: ", graph_.writer_name(*entry),
                        ", hold: true}`; else add a writer with `loop: {name: ", around.name, "}`"),
                    {{around.place, "the next turn begins here"}});
      return false;
    }
    return true;
  }

  [[nodiscard]] bool has_loop_edge(const GraphStage& stage, std::uint32_t p, std::int32_t loop) const {
    return std::any_of(stage.in[p].begin(), stage.in[p].end(),
                       [&](std::uint32_t e) { return graph_.edges[e].loop == loop; });
  }

  Graph& graph_;
  Report& report_;
};

}  // namespace

void check_turns(Graph& graph, Report& report) { TurnChecker(graph, report).run(); }

void assign_tags(Graph& graph, Report& report) {
  std::vector<std::size_t> order(graph.loops.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return graph.loops[a].depth > graph.loops[b].depth; });
  for (const std::size_t l : order) {  // inner loops first: they take the low bits
    GraphLoop& loop = graph.loops[l];
    const std::uint32_t most = loop.scatter ? loop.max - 1 : loop.max;  // elements are numbered from 0
    loop.bits = static_cast<std::uint32_t>(std::bit_width(std::max(most, 1U)));
    for (const std::int32_t child : loop.children) {
      const GraphLoop& inner = graph.loops[static_cast<std::size_t>(child)];
      loop.shift = std::max(loop.shift, inner.shift + inner.bits);
    }
    if (loop.shift + loop.bits <= kTagBits) continue;
    report.error(problem::kTagTooLong, loop.place,
                 cat("the counters of ", loop.scatter ? "scatter " : "loop ", quote(loop.name),
                     " and what is inside it need ", loop.shift + loop.bits, " bits, but a tag has ", kTagBits),
                 "lower `max` of these loops and scatters, or nest fewer of them");
    return;
  }
}

}  // namespace woa
