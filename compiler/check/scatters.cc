#include "compiler/check/scatters.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/check/loops.h"

namespace woa {
namespace {

class ScatterFinder {
 public:
  ScatterFinder(Graph& graph, Report& report) : graph_(graph), report_(report) {
    for (const GraphStage& stage : graph.stages) loop_of_.push_back(stage.loop);
    around_.resize(graph.stages.size(), -1);
    unclear_.resize(graph.stages.size());
    outer_.resize(graph.loops.size(), -1);
  }

  bool run() {
    add_scatters();
    if (!any_) return true;
    for (const std::uint32_t s : in_order()) {
      enter(s);
      if (too_deep_) return false;  // the steps below walk up from every stage
    }
    for (std::uint32_t e = 0; e < graph_.edges.size(); ++e) check_loop_edge(e);
    check_gathers();
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) check_nesting(s);
    leave_crossed();
    cut_unclear();
    nest();
    return true;
  }

 private:
  [[nodiscard]] GraphLoop& at(std::int32_t loop) const { return graph_.loops[static_cast<std::size_t>(loop)]; }
  // The scatter around a scatter.
  [[nodiscard]] std::int32_t outer(std::int32_t scatter) const { return outer_[static_cast<std::size_t>(scatter)]; }
  [[nodiscard]] std::string name(std::int32_t scatter) const { return quote(at(scatter).name); }

  void add_scatters() {
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) {
      GraphStage& stage = graph_.stages[s];
      stage.starts.resize(stage.outputs.size(), -1);
      stage.ends.resize(stage.inputs.size(), -1);
      for (const InputPortPlan& port : stage.inputs) any_ = any_ || port.gather != 0;
      for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
        if (stage.outputs[p].many == 0 || stage.out[p].empty()) continue;
        any_ = true;
        stage.starts[p] = static_cast<std::int32_t>(graph_.loops.size());
        GraphLoop scatter{.name = graph_.output_name(s, p), .place = stage.place, .stages = {}, .children = {}};
        scatter.max = stage.outputs[p].many;
        scatter.scatter = true;
        scatter.stage = s;
        scatter.port = p;
        graph_.loops.push_back(std::move(scatter));
        outer_.push_back(-1);
      }
    }
  }

  // Stages, writers before readers, not counting loop edges.
  [[nodiscard]] std::vector<std::uint32_t> in_order() const {
    std::vector<std::uint32_t> open(graph_.stages.size()), order;
    for (const GraphEdge& edge : graph_.edges) open[edge.to_stage] += edge.loop < 0 ? 1U : 0U;
    for (std::uint32_t s = 0; s < open.size(); ++s) {
      if (open[s] == 0) order.push_back(s);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const auto& port : graph_.stages[order[i]].out) {
        for (const std::uint32_t e : port) {
          if (graph_.edges[e].loop < 0 && --open[graph_.edges[e].to_stage] == 0)
            order.push_back(graph_.edges[e].to_stage);
        }
      }
    }
    return order;
  }

  // The scatter that the edge's tokens are elements of.
  [[nodiscard]] std::int32_t brought_by(const GraphEdge& edge) const {
    const std::int32_t started = graph_.stages[edge.from_stage].starts[edge.from_port];
    return started >= 0 ? started : around_[edge.from_stage];
  }

  // True if a mistake leaves unknown which scatter the edge's tokens are elements of: they are not judged then.
  [[nodiscard]] bool is_unclear(const GraphEdge& edge) const {
    return unclear_[edge.from_stage] && graph_.stages[edge.from_stage].starts[edge.from_port] < 0;
  }

  void enter(std::uint32_t s) {
    if (s == kSinkStage) return enter_sink();
    GraphStage& stage = graph_.stages[s];
    const GraphEdge* first = nullptr;  // the edge that says where the stage lies
    bool lacks = false;                // a writer was reported, or its scatter is unknown
    for (std::uint32_t p = 0; p < stage.in.size(); ++p) {
      lacks = lacks || stage.broken[p];
      for (const std::uint32_t e : stage.in[p]) {
        const GraphEdge& edge = graph_.edges[e];
        if (edge.loop >= 0 || edge.hold) continue;
        if (is_unclear(edge)) {
          lacks = true;
          continue;
        }
        const std::optional<std::int32_t> scatter = arrives(stage, p, edge);
        unclear_[s] = !scatter || (first != nullptr && *scatter != around_[s]);
        if (!scatter) return;  // reported
        if (unclear_[s]) return report_rates(edge, *scatter, *first, around_[s]);
        if (first == nullptr) around_[s] = *scatter, first = &edge;
      }
    }
    unclear_[s] = lacks && first == nullptr;
    for (const std::int32_t started : stage.starts) {
      if (started >= 0) nest_in(started, around_[s]);
    }
    for (const auto& port : stage.in) check_held(s, port);
  }

  // No element may reach the sink; reports one edge of each scatter.
  void enter_sink() {
    std::set<std::int32_t> reported;
    for (const auto& port : graph_.stages[kSinkStage].in) {
      for (const std::uint32_t e : port) {
        const GraphEdge& edge = graph_.edges[e];
        if (edge.loop >= 0 || is_unclear(edge) || brought_by(edge) < 0) continue;
        unfit_.insert(e);
        if (reported.insert(brought_by(edge)).second) report_open(edge);
      }
    }
  }

  // Cuts the edges of unclear stages, and edges that were reported.
  void cut_unclear() {
    std::vector<bool> marked(graph_.edges.size());
    for (std::uint32_t e = 0; e < graph_.edges.size(); ++e) {
      const GraphEdge& edge = graph_.edges[e];
      marked[e] = unclear_[edge.to_stage] || unclear_[edge.from_stage] || unfit_.contains(e);
    }
    if (std::ranges::find(marked, true) == marked.end()) return;
    graph_.cut(marked);
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) {
      if (!unclear_[s]) continue;
      graph_.stages[s].broken.assign(graph_.stages[s].broken.size(), true);
      around_[s] = -1;
    }
  }

  void nest_in(std::int32_t scatter, std::int32_t around) {
    outer_[static_cast<std::size_t>(scatter)] = around;
    at(scatter).depth = graph_.depth(around);
    if (at(scatter).depth < kTagBits || too_deep_) return;
    report_.error(problem::kTagTooLong, at(scatter).place, cat("scatters are nested deeper than ", kTagBits),
                  "gather the elements before they are scattered again");
    too_deep_ = true;
  }

  // The scatter of a stage that the edge makes fire; nothing, after a report, if the edge cannot lead there.
  std::optional<std::int32_t> arrives(GraphStage& stage, std::uint32_t port, const GraphEdge& edge) {
    const std::int32_t scatter = brought_by(edge);
    if (stage.inputs[port].gather == 0) return scatter;
    if (scatter < 0) {
      report_.error(problem::kNoScatter, edge.place,
                    cat("input ", quote(graph_.reader_name(edge)), " gathers the elements of a scatter, but ",
                        quote(graph_.writer_name(edge)), " lies in none"),
                    "let its writer be, or be behind, an output that is `many`; or use a kernel that takes one token");
      return std::nullopt;
    }
    if (stage.ends[port] >= 0 && stage.ends[port] != scatter) {
      report_.error(problem::kRates, edge.place,
                    cat("input ", quote(graph_.reader_name(edge)),
                        " would gather two scatters: ", name(stage.ends[port]), " and ", name(scatter)),
                    "gather each by itself, and join the results");
      return std::nullopt;
    }
    stage.ends[port] = scatter;
    return outer(scatter);
  }

  // How often a scatter's tokens come, compared with tokens outside all scatters.
  [[nodiscard]] std::string rate(std::int32_t scatter) const {
    if (scatter < 0) return "once";
    return cat("up to ", at(scatter).max, " times, once for each element of ", name(scatter));
  }

  void report_rates(const GraphEdge& edge, std::int32_t scatter, const GraphEdge& first, std::int32_t other) {
    report_.error(problem::kRates, edge.place,
                  cat("rates do not balance: ", quote(graph_.writer_name(edge)), " comes ", rate(scatter), "; ",
                      quote(graph_.writer_name(first)), " comes ", rate(other)),
                  "mark the one that comes less often `hold: true`, or gather the elements first");
  }

  void report_open(const GraphEdge& edge) {
    report_.error(problem::kNoGather, edge.place,
                  cat("no gather ends scatter ", name(brought_by(edge)), ": its elements come to graph output ",
                      quote(graph_.reader_name(edge)), ", which takes one token of an instance"),
                  "let a kernel with a `gather` input take them before");
  }

  // A held token must be written in a scatter around its reader, or outside all of them.
  void check_held(std::uint32_t s, const std::vector<std::uint32_t>& port) {
    for (const std::uint32_t e : port) {
      const GraphEdge& edge = graph_.edges[e];
      if (!edge.hold || unclear_[s] || is_unclear(edge)) continue;
      const bool gathers = graph_.stages[s].inputs[edge.to_port].gather != 0;
      std::int32_t around = around_[s];
      while (around >= 0 && around != brought_by(edge)) around = outer(around);
      if (!gathers && around == brought_by(edge)) continue;
      unfit_.insert(e);
      report_.error(gathers ? problem::kBadHold : problem::kRates, edge.place,
                    gathers ? std::string("an input that gathers cannot be held")
                            : cat("rates do not balance: held token ", quote(graph_.writer_name(edge)), " comes ",
                                  rate(brought_by(edge)), ", but its reader does not"),
                    gathers ? "remove `hold`" : "gather the elements, and hold the result");
    }
  }

  void check_loop_edge(std::uint32_t e) {
    const GraphEdge& edge = graph_.edges[e];
    if (edge.loop < 0 || unclear_[edge.to_stage] || is_unclear(edge)) return;
    const GraphStage& to = graph_.stages[edge.to_stage];
    if (brought_by(edge) == around_[edge.to_stage] && to.inputs[edge.to_port].gather == 0) return;
    unfit_.insert(e);
    report_.error(problem::kScatterSplit, edge.place,
                  cat("the next turn of loop ", quote(at(edge.loop).name),
                      " would begin with elements of another scatter than ", "the turn before"),
                  "end a scatter that a turn starts in the same turn, with a gather");
  }

  void check_gathers() {
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) {
      GraphStage& stage = graph_.stages[s];
      for (std::uint32_t p = 0; p < stage.ends.size(); ++p) {
        if (stage.ends[p] < 0) continue;
        GraphLoop& scatter = at(stage.ends[p]);
        if (loop_of_[s] == loop_of_[scatter.stage]) {
          scatter.gathers.emplace_back(s, p);
          continue;
        }
        stage.ends[p] = -1;
        unfit_.insert(stage.in[p].begin(), stage.in[p].end());
        report_.error(problem::kScatterSplit, stage.input_places[p],
                      cat("scatter ", quote(scatter.name), " is gathered in another loop than it is started in"),
                      "let the stages that scatter and gather lie in the same loop");
      }
    }
  }

  // A scatter that begins in a loop must end there; a loop must not lie partly in a scatter.
  void check_nesting(std::uint32_t s) {
    if (unclear_[s]) return;
    for (std::int32_t scatter = around_[s]; scatter >= 0; scatter = outer(scatter)) {
      if (graph_.contains(loop_of_[at(scatter).stage], loop_of_[s])) continue;
      crossed_.insert(scatter);
      return report_.error(problem::kScatterSplit, graph_.stages[s].place,
                           cat("elements of scatter ", name(scatter),
                               " leave the loop that they are made in, to stage ", quote(graph_.stages[s].name)),
                           "gather them inside the loop");
    }
    for (std::int32_t loop = loop_of_[s]; loop >= 0; loop = graph_.parent(loop)) {
      if (base_of(loop, s)) continue;
      crossed_.insert(loop);
      return report_.error(
          problem::kScatterSplit, graph_.stages[s].place,
          cat("loop ", quote(at(loop).name), " lies partly in a scatter: stage ", quote(graph_.stages[s].name),
              " does not fire for the same elements as its other stages"),
          "let the loop lie inside the scatter, or the scatter inside the loop");
    }
  }

  // The stages of loops and scatters that were reported are not judged further: the others form a forest.
  void leave_crossed() {
    const auto is_crossed = [&](std::int32_t l) { return crossed_.contains(l); };
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) {
      for (std::int32_t l = around_[s]; l >= 0; l = outer(l)) unclear_[s] = unclear_[s] || is_crossed(l);
      for (std::int32_t l = loop_of_[s]; l >= 0; l = graph_.parent(l)) unclear_[s] = unclear_[s] || is_crossed(l);
    }
    std::erase_if(base_, [&](const auto& base) { return is_crossed(base.first) || is_crossed(base.second); });
    std::ranges::replace_if(outer_, is_crossed, -1);
  }

  // True if `s` agrees with the loop's other stages on the scatter around it: the innermost that starts outside.
  bool base_of(std::int32_t loop, std::uint32_t s) {
    std::int32_t scatter = around_[s];
    while (scatter >= 0 && graph_.contains(loop, loop_of_[at(scatter).stage])) scatter = outer(scatter);
    const auto [base, added] = base_.try_emplace(loop, scatter);
    return base->second == scatter;
  }

  // The inner one of a loop and a scatter around the same place: the loop, if the scatter starts outside it.
  [[nodiscard]] std::int32_t inner(std::int32_t loop, std::int32_t scatter) const {
    if (loop < 0 || scatter < 0) return std::max(loop, scatter);
    return graph_.contains(loop, loop_of_[at(scatter).stage]) ? scatter : loop;
  }

  void nest() {
    std::vector<std::int32_t> parents;
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(graph_.loops.size()); ++l) {
      const auto base = base_.find(l);
      if (at(l).scatter) {
        parents.push_back(inner(loop_of_[at(l).stage], outer(l)));
      } else {
        parents.push_back(inner(graph_.parent(l), base == base_.end() ? -1 : base->second));
      }
    }
    for (std::uint32_t s = 0; s < graph_.stages.size(); ++s) graph_.stages[s].loop = inner(loop_of_[s], around_[s]);
    for (std::size_t l = 0; l < parents.size(); ++l) {
      graph_.loops[l].parent = parents[l];
      graph_.loops[l].children.clear();
    }
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(parents.size()); ++l) {
      if (at(l).parent >= 0) at(at(l).parent).children.push_back(l);
      at(l).depth = 0;
      for (std::int32_t up = at(l).parent; up >= 0; up = at(up).parent) ++at(l).depth;
    }
    for (const GraphStage& stage : graph_.stages) {
      if (stage.loop >= 0) at(stage.loop).found = true;
    }
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(parents.size()); ++l) {
      for (std::int32_t up = at(l).found ? at(l).parent : -1; up >= 0; up = at(up).parent) at(up).found = true;
    }
    for (GraphEdge& edge : graph_.edges) {
      const std::int32_t from = graph_.stages[edge.from_stage].loop, to = graph_.stages[edge.to_stage].loop;
      edge.context = edge.loop >= 0 ? edge.loop : graph_.common(from, to);
    }
  }

  Graph& graph_;
  Report& report_;
  bool any_ = false;                           // some output is `many`, or some input gathers
  bool too_deep_ = false;                      // reported
  std::vector<std::int32_t> loop_of_;          // by stage
  std::vector<std::int32_t> around_;           // by stage: the innermost scatter around it
  std::vector<bool> unclear_;                  // by stage: that scatter is unknown
  std::set<std::uint32_t> unfit_;              // edges that were reported
  std::vector<std::int32_t> outer_;            // by scatter, as a loop of the graph: the scatter around it
  std::map<std::int32_t, std::int32_t> base_;  // by loop: the scatter that it lies in
  std::set<std::int32_t> crossed_;             // scatters that leave a loop, and loops that leave a scatter: reported
};

}  // namespace

bool find_scatters(Graph& graph, Report& report) { return ScatterFinder(graph, report).run(); }

}  // namespace woa
