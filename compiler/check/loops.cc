#include "compiler/check/loops.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "compiler/check/components.h"

namespace woa {
namespace {

constexpr std::size_t kMaxRivals = 8;  // candidates for the outermost loop of a component

class LoopFinder {
 public:
  LoopFinder(Graph& graph, Report& report)
      : graph_(graph), report_(report), part_(graph.stages.size()), stuck_(graph.stages.size()) {
    taken_.resize(graph.loops.size());
    next_.resize(graph.stages.size());
  }

  bool run() {
    std::vector<std::uint32_t> all(graph_.stages.size());
    for (std::uint32_t s = 0; s < all.size(); ++s) all[s] = s;
    work_.push_back({std::move(all), -1});
    while (!work_.empty()) {
      const Work work = std::move(work_.front());
      work_.pop_front();
      if (work.parent >= 0) taken_[static_cast<std::size_t>(work.parent)] = true;
      const std::vector<Component> found = components(work.stages);
      for (auto component = found.rbegin(); component != found.rend(); ++component) {  // writers before readers
        if (is_cycle(*component)) take_component(*component, work.parent);
      }
    }
    unfit_.resize(graph_.edges.size());
    check_edges();
    if (std::ranges::find(unfit_, true) != unfit_.end()) graph_.cut(unfit_);
    return !too_deep_;
  }

 private:
  void error(std::string_view code, const Place& place, std::string text, std::string fix,
             std::vector<Note> notes = {}) {
    report_.error(code, place, std::move(text), std::move(fix), std::move(notes));
  }
  // Reports a missing edge, unless it may be one that could not be read.
  void lack(std::string_view code, const Place& place, std::string text, std::string fix) {
    if (graph_.whole) report_.error(code, place, std::move(text), std::move(fix));
  }

  struct Work {
    std::vector<std::uint32_t> stages;
    std::int32_t parent;
  };
  using Component = std::vector<std::uint32_t>;

  [[nodiscard]] bool is_taken(const GraphEdge& edge) const { return edge.loop >= 0 && !is_active(edge); }
  [[nodiscard]] bool is_active(const GraphEdge& edge) const {
    return edge.loop < 0 || !taken_[static_cast<std::size_t>(edge.loop)];
  }
  // Calls visit(id, edge) for the active edges into `stage`.
  void each_input(std::uint32_t stage, const auto& visit) const {
    for (const auto& port : graph_.stages[stage].in) {
      for (const std::uint32_t e : port) {
        if (is_active(graph_.edges[e])) visit(e, graph_.edges[e]);
      }
    }
  }

  // Components over the active edges between `stages`, which become a part of their own.
  std::vector<Component> components(const std::vector<std::uint32_t>& stages) {
    ++parts_;
    for (const std::uint32_t s : stages) {
      part_[s] = parts_;
      next_[s].clear();
    }
    for (const std::uint32_t s : stages) {
      each_input(s, [&](std::uint32_t, const GraphEdge& edge) {
        if (part_[edge.from_stage] == parts_) next_[edge.from_stage].push_back(s);
      });
    }
    return strong_components(next_, stages, part_, parts_);
  }

  [[nodiscard]] bool is_cycle(const Component& component) const {
    const auto& next = next_[component[0]];
    return component.size() > 1 || std::find(next.begin(), next.end(), component[0]) != next.end();
  }

  [[nodiscard]] static bool holds(const Component& component, std::uint32_t stage) {
    return std::binary_search(component.begin(), component.end(), stage);
  }

  // Loops with an edge inside the component; if `entered`, only those with one at a port that is also written from
  // outside.
  std::vector<std::int32_t> loops_in(const Component& component, bool entered) const {
    std::vector<std::int32_t> loops;
    for (const std::uint32_t s : component) {
      for (const auto& port : graph_.stages[s].in) {
        bool outside = false;
        for (const std::uint32_t e : port)
          outside = outside || (!graph_.edges[e].hold && !holds(component, graph_.edges[e].from_stage));
        if (entered && !outside && !enters_from_above(port)) continue;
        for (const std::uint32_t e : port) {
          const GraphEdge& edge = graph_.edges[e];
          if (edge.loop >= 0 && is_active(edge) && holds(component, edge.from_stage)) loops.push_back(edge.loop);
        }
      }
    }
    std::sort(loops.begin(), loops.end());
    loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
    return loops;
  }

  // True if the next turn of an enclosing loop enters at the port: that, too, is from outside the component.
  [[nodiscard]] bool enters_from_above(const std::vector<std::uint32_t>& port) const {
    return std::any_of(port.begin(), port.end(),
                       [&](std::uint32_t e) { return graph_.edges[e].loop >= 0 && !is_active(graph_.edges[e]); });
  }

  // The outermost loop of a component: the one whose edges, removed, break it up. -1 if no loop, or several, qualify.
  std::int32_t outermost(const Component& component, std::vector<std::int32_t> rivals) {
    if (rivals.size() == 1) return rivals[0];
    if (rivals.size() > kMaxRivals) return -1;
    std::erase_if(rivals, [&](std::int32_t loop) {
      taken_[static_cast<std::size_t>(loop)] = true;
      const bool whole = components(component).size() == 1;
      taken_[static_cast<std::size_t>(loop)] = false;
      return whole && component.size() > 1;
    });
    return rivals.size() == 1 ? rivals[0] : -1;
  }

  void take_component(const Component& component, std::int32_t parent) {
    const std::vector<std::int32_t> all = loops_in(component, false);
    const std::vector<std::int32_t> entered = loops_in(component, true);
    const bool alike = component.size() == 1 && entered.size() > 1;
    const std::int32_t found = entered.empty() || alike ? -1 : outermost(component, entered);
    if (found >= 0) return take(found, component, parent);
    ++stuck_components_;
    for (const std::uint32_t s : component) stuck_[s] = stuck_components_;
    if (all.empty()) {
      report_cycle(component);
    } else if (entered.empty()) {
      report_no_entry(component, all);
    } else {
      report_rivals(entered);
    }
  }

  void take(std::int32_t id, const Component& component, std::int32_t parent) {
    GraphLoop& loop = graph_.loops[static_cast<std::size_t>(id)];
    if (loop.found) return;  // a second cycle of that name: check_edges reports its edges
    loop.found = true;
    loop.parent = parent;
    loop.depth = graph_.depth(parent);
    loop.stages = component;
    if (parent >= 0) graph_.loops[static_cast<std::size_t>(parent)].children.push_back(id);
    for (const std::uint32_t s : component) graph_.stages[s].loop = id;
    if (loop.depth >= kTagBits) {
      too_deep_ = true;
      error(problem::kTagTooLong, loop.place, cat("loops are nested deeper than ", kTagBits), "nest fewer loops");
      return;
    }
    work_.push_back({component, id});
  }

  // A shortest cycle through the component's first stage, as the edges into each of its stages.
  std::vector<std::uint32_t> find_cycle(const Component& component) const {
    const std::uint32_t start = component[0];
    std::unordered_map<std::uint32_t, std::uint32_t> via;  // stage -> edge that leaves it towards `start`
    std::deque<std::uint32_t> queue{start};
    while (!via.contains(start) && !queue.empty()) {
      const std::uint32_t s = queue.front();
      queue.pop_front();
      each_input(s, [&](std::uint32_t e, const GraphEdge& edge) {
        if (holds(component, edge.from_stage) && via.emplace(edge.from_stage, e).second)
          queue.push_back(edge.from_stage);
      });
    }
    std::vector<std::uint32_t> cycle;
    for (std::uint32_t s = start; cycle.empty() || s != start;) {
      cycle.push_back(via.at(s));
      s = graph_.edges[cycle.back()].to_stage;
    }
    return cycle;
  }

  void report_cycle(const Component& component) {
    constexpr std::size_t kShown = 12;
    const std::vector<std::uint32_t> cycle = find_cycle(component);
    std::string text;
    for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) {
      text += graph_.writer_name(graph_.edges[cycle[i]]) + " -> ";
    }
    if (cycle.size() > kShown) text += cat("... (", cycle.size(), " stages) -> ");
    text += graph_.stages[component[0]].name;
    const GraphEdge& closing = graph_.edges[cycle.back()];
    error(problem::kCycle, closing.place, cat("a cycle without a loop: ", text),
          cat("if this edge starts the next turn, write `{from: ", graph_.writer_name(closing), ", loop: {max: N}}`"));
  }

  void report_no_entry(const Component& component, const std::vector<std::int32_t>& loops) {
    const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(loops[0])];
    lack(problem::kLoopEntry, loop.place,
         cat("nothing starts the first turn of loop ", quote(loop.name), " around stage ",
             quote(graph_.stages[component[0]].name)),
         "a loop edge ends at an input that also has a writer from before the loop: `[BEFORE.PORT, {from: "
         "..., loop: ...}]`");
  }

  void report_rivals(const std::vector<std::int32_t>& rivals) {
    std::vector<std::string> names;
    std::vector<Note> others;
    for (const std::int32_t id : rivals) {
      const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(id)];
      if (!names.empty()) others.push_back({loop.place, cat("loop ", quote(loop.name))});
      names.push_back(loop.name);
    }
    error(problem::kLoopOrder, graph_.loops[static_cast<std::size_t>(rivals[0])].place,
          cat("loops ", quote_list(names), " enter at the same stages, so neither is the inner one"),
          "give their edges one name if they are one loop; else let the inner one begin at a stage of its own",
          std::move(others));
  }

  void check_edges() {
    for (std::size_t e = 0; e < graph_.edges.size(); ++e) {
      GraphEdge& edge = graph_.edges[e];
      const std::int32_t from = graph_.stages[edge.from_stage].loop, to = graph_.stages[edge.to_stage].loop;
      edge.context = graph_.common(from, to);
      const bool stuck = stuck_[edge.from_stage] != 0 && stuck_[edge.from_stage] == stuck_[edge.to_stage];
      unfit_[e] = stuck && (edge.loop < 0 || !is_taken(edge));
      if (edge.loop < 0) continue;
      const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(edge.loop)];
      if (graph_.contains(edge.loop, edge.context) && loop.found) {
        edge.context = edge.loop;
        continue;
      }
      unfit_[e] = true;
      if (loop.found) {
        error(problem::kLoopSplit, edge.place,
              cat("this edge is not in the cycle of the other edges of loop ", quote(loop.name)),
              "give loops that have separate cycles separate names: `loop: {max: N, name: L}`",
              {{loop.place, "the loop's first edge"}});
      } else if (!stuck) {
        lack(problem::kNoCycle, edge.place,
             cat("loop ", quote(loop.name), ": this edge closes no cycle; within one turn there is no way from ",
                 quote(graph_.stages[edge.to_stage].name), " to ", quote(graph_.stages[edge.from_stage].name)),
             "remove `loop`, or mend the edges between them");
      }
    }
  }

  Graph& graph_;
  Report& report_;
  std::vector<std::uint32_t> part_;  // the part of the graph that a stage belongs to now
  std::uint32_t parts_ = 0;
  Adjacency next_;
  std::vector<bool> taken_;  // loops whose edges no longer count
  std::deque<Work> work_;
  std::vector<std::uint32_t>
      stuck_;  // by stage: number of the component that could not be taken apart (reported), or 0
  std::uint32_t stuck_components_ = 0;
  std::vector<bool> unfit_;  // by edge: reported, or part of a reported component
  bool too_deep_ = false;
};

}  // namespace

bool find_loops(Graph& graph, Report& report) { return LoopFinder(graph, report).run(); }

}  // namespace woa
