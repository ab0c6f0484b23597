#include "compiler/check/flow.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace woa {
namespace {

using MaybeGuard = std::optional<Guard>;

constexpr std::size_t kMaxEndings = 64;  // ways in which a loop may end
constexpr std::size_t kMaxChoicesShown = 6;

class FlowAnalyser {
 public:
  FlowAnalyser(const Graph& graph, const TurnGraphs& turns, Report& report)
      : graph_(graph), turns_(turns), report_(report) {
    flow_.stage.resize(graph.stages.size());
    flow_.loop.resize(graph.loops.size());
    flow_.edge.resize(graph.edges.size());
    endings_.resize(graph.loops.size());
  }

  Flow run() {
    for (const std::int32_t context : turns_.inner_first()) {
      for (const std::uint32_t item : turns_.of(context).order) {
        const MaybeGuard guard = turns_.is_loop(item) ? enter_loop(context, turns_.loop_of(item)) : fire(context, item);
        check_held(context, item, guard);
      }
      if (context >= 0) is_scatter(context) ? end_element(context) : end_turn(context);
    }
    for (std::uint32_t s = kSinkStage + 1; s < graph_.stages.size(); ++s) check_stage(s);
    if (guards_.overflowed()) {
      report_.error(problem::kTooComplex, graph_.stages.size() > 2 ? graph_.stages[2].place : Place{},
                    "the branches of this graph combine in too many ways to be checked",
                    "merge branches soon after they part, or divide the graph");
    }
    return std::move(flow_);
  }

 private:
  // The possible last turns of a loop: one guard for each set of edges that leave the loop together.
  struct Endings {
    std::vector<Guard> ways;
    bool known = false;
  };

  [[nodiscard]] bool is_scatter(std::int32_t l) const { return graph_.loops[static_cast<std::size_t>(l)].scatter; }

  void error(std::string_view code, const Place& place, std::string text, std::string fix,
             std::vector<Note> notes = {}) {
    if (!guards_.overflowed()) report_.error(code, place, std::move(text), std::move(fix), std::move(notes));
  }

  std::string when(Guard guard) const { return flow_.when(guard); }

  // The guard under which a token arrives at a port within one turn of `context`, by edges of that context.
  MaybeGuard arrival(std::int32_t context, const PortId& at) {
    const GraphStage& stage = graph_.stages[at.stage];
    if (stage.broken[at.port]) return std::nullopt;
    Merge merge;
    for (const std::uint32_t e : stage.in[at.port]) {
      const GraphEdge& edge = graph_.edges[e];
      if (edge.loop >= 0) continue;
      if (graph_.depth(edge.context) < graph_.depth(context) && !edge.hold)
        merge.guard = Guards::kAlways;  // begins the turn
    }
    for (const std::uint32_t e : stage.in[at.port]) {
      if (graph_.edges[e].loop < 0 && graph_.edges[e].context == context) add_writer(merge, e);
    }
    return merge.known ? MaybeGuard(merge.guard) : std::nullopt;
  }

  struct Merge {
    Guard guard = Guards::kNever;
    bool known = true;
    std::vector<std::uint32_t> writers;
  };

  void add_writer(Merge& merge, std::uint32_t e) {
    const MaybeGuard guard = flow_.edge[e].empty() ? std::nullopt : flow_.edge[e].back();
    if (!guard) {
      merge.known = false;
      return;
    }
    if (const Guard overlap = guards_.both(merge.guard, *guard); overlap != Guards::kNever && merge.known) {
      report_overlap(merge, e, *guard, overlap);
      merge.known = false;
    }
    merge.guard = guards_.either(merge.guard, *guard);
    merge.writers.push_back(e);
  }

  void report_overlap(const Merge& merge, std::uint32_t e, Guard guard, Guard overlap) {
    const GraphEdge& edge = graph_.edges[e];
    std::string other = "the token that begins the turn";
    std::vector<Note> notes;
    for (const std::uint32_t w : merge.writers) {
      const Guard both = guards_.both(*flow_.edge[w].back(), guard);
      if (both == Guards::kNever) continue;
      other = quote(graph_.writer_name(graph_.edges[w]));
      overlap = both;
      notes.push_back({graph_.edges[w].place, "the other writer"});
      break;
    }
    error(problem::kMergeNotExclusive, edge.place,
          cat(other, " and ", quote(graph_.writer_name(edge)), " may both write ", quote(graph_.reader_name(edge)),
              ": ", when(overlap)),
          "merge only writers of which one at most writes, such as the ports of one `one_of` group; join others with a "
          "stage",
          std::move(notes));
  }

  // Compares the guards of ports that must be fed together. guard() is nothing if they differ or one is unknown.
  class Together {
   public:
    Together(FlowAnalyser& analyser, std::string_view code, std::string what)
        : analyser_(analyser), code_(code), what_(std::move(what)) {}
    void add(const PortId& port, MaybeGuard guard) {
      if (!guard) {
        known_ = false;
      } else if (!guard_) {
        guard_ = guard;
        first_ = port;
      } else if (*guard_ != *guard && !reported_) {
        reported_ = true;
        analyser_.report_difference(code_, what_, first_, *guard_, port, *guard);
      }
    }
    [[nodiscard]] MaybeGuard guard() const { return known_ && !reported_ ? guard_ : std::nullopt; }

   private:
    FlowAnalyser& analyser_;
    std::string_view code_;
    std::string what_;
    MaybeGuard guard_;
    PortId first_;
    bool known_ = true, reported_ = false;
  };

  void report_difference(std::string_view code, const std::string& what, PortId a, Guard guard_a, PortId b,
                         Guard guard_b) {
    const Place first = graph_.stages[a.stage].input_places[a.port];
    const Place place = graph_.stages[b.stage].input_places[b.port];
    Guard only = guards_.without(guard_a, guard_b);
    if (only == Guards::kNever) {
      only = guards_.without(guard_b, guard_a);
      std::swap(a, b);
    }
    error(code, place,
          cat(what, ": ", when(only), ", a token comes to ", quote(graph_.input_name(a.stage, a.port)), " and none to ",
              quote(graph_.input_name(b.stage, b.port))),
          "bring both under the same choices: merge the alternatives first, or mark the one that comes more often "
          "`hold: true`",
          {{first, "the other input"}});
  }

  MaybeGuard fire(std::int32_t context, std::uint32_t s) {
    const GraphStage& stage = graph_.stages[s];
    Together together(
        *this, problem::kJoinDiffers,
        cat("stage ", quote(stage.name), " needs its inputs together, but they come under different choices"));
    for (std::uint32_t p = 0; p < stage.inputs.size(); ++p) {
      if (stage.inputs[p].hold) continue;
      const MaybeGuard guard = arrival(context, {s, p});
      if (s == kSinkStage) {
        check_output(p, guard);
      } else {
        together.add({s, p}, guard);
      }
    }
    MaybeGuard guard = together.guard();
    if (s == kSourceStage) guard = Guards::kAlways;
    flow_.stage[s] = guard;
    write_outputs(s, guard);
    return guard;
  }

  void check_output(std::uint32_t port, MaybeGuard guard) {
    if (!guard || *guard == Guards::kAlways) return;
    const GraphStage& sink = graph_.stages[kSinkStage];
    const Guard missing = guards_.without(Guards::kAlways, *guard);
    error(problem::kNotAtSink, sink.input_places[port],
          cat("graph output ", quote(sink.inputs[port].name), " gets no token ", when(missing)),
          cat("every instance must reach every output: list the writers of all alternatives under one name, `NAME: [",
              graph_.writer_name(graph_.edges[sink.in[port][0]]), ", OTHER.PORT]`"));
  }

  void write_outputs(std::uint32_t s, MaybeGuard guard) {
    const GraphStage& stage = graph_.stages[s];
    std::unordered_map<std::int32_t, std::uint32_t> variables;  // by group
    for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
      const std::int32_t group = stage.outputs[p].one_of;
      MaybeGuard written = guard;
      const bool unread = report_.errors() != 0 && group >= 0 && is_unread(stage, group);
      if (unread) written.reset();  // reported; the tokens that are then missing are not
      if (written && group >= 0) {
        const auto [variable, added] = variables.emplace(group, 0);
        if (added) variable->second = add_choice(stage, group);
        written = choose(*guard, variable->second, stage, group, p);
      }
      for (const std::uint32_t e : stage.out[p]) flow_.edge[e].push_back(written);
    }
  }

  // Nothing reads one of the group's ports.
  static bool is_unread(const GraphStage& stage, std::int32_t group) {
    for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
      if (stage.outputs[p].one_of == group && stage.out[p].empty()) return true;
    }
    return false;
  }

  std::uint32_t add_choice(const GraphStage& stage, std::int32_t group) {
    std::vector<std::string> names;
    for (const OutputPortPlan& port : stage.outputs) {
      if (port.one_of == group) names.push_back(cat(quote(stage.name), " writes ", quote(port.name)));
    }
    return add_variable(std::move(names));
  }
  std::uint32_t add_variable(std::vector<std::string> names) {
    flow_.choice_names.push_back(std::move(names));
    return guards_.add_variable(static_cast<std::uint32_t>(flow_.choice_names.back().size()));
  }

  Guard choose(Guard guard, std::uint32_t variable, const GraphStage& stage, std::int32_t group, std::uint32_t port) {
    std::vector<bool> values;
    for (std::uint32_t p = 0; p < stage.outputs.size(); ++p) {
      if (stage.outputs[p].one_of == group) values.push_back(p == port);
    }
    return guards_.choose(guard, variable, values);
  }

  MaybeGuard enter_loop(std::int32_t context, std::int32_t l) {
    const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(l)];
    Together together(*this, problem::kTurnDiffers,
                      cat("loop ", quote(loop.name), " begins with several inputs that come under different choices"));
    for (const PortId& port : turns_.of(l).entries) together.add(port, arrival(context, port));
    const MaybeGuard guard = together.guard();
    flow_.loop[static_cast<std::size_t>(l)] = guard;
    is_scatter(l) ? leave_scatter(l, guard) : leave_loop(l, guard);
    return guard;
  }

  // Every element that a scatter starts must reach each of its gathers, once.
  void end_element(std::int32_t l) {
    Endings& endings = endings_[static_cast<std::size_t>(l)];
    endings.known = true;
    for (const auto& [s, p] : graph_.loops[static_cast<std::size_t>(l)].gathers) {
      const GraphStage& stage = graph_.stages[s];
      Merge merge;
      merge.known = !stage.broken[p];
      for (const std::uint32_t e : stage.in[p]) {
        if (starts(e)) merge.guard = Guards::kAlways;
      }
      for (const std::uint32_t e : stage.in[p]) {
        if (!starts(e)) add_writer(merge, e);
      }
      endings.known = endings.known && merge.known;
      if (!merge.known || merge.guard == Guards::kAlways) continue;
      error(problem::kJoinDiffers, stage.input_places[p],
            cat("gather ", quote(graph_.input_name(s, p)), " gets nothing of an element ",
                when(guards_.without(Guards::kAlways, merge.guard))),
            "it waits for every element: merge the alternatives there (an `optional` output may send an absent token)");
    }
  }

  // True if the edge carries elements straight from the output that scatters.
  [[nodiscard]] bool starts(std::uint32_t e) const {
    const GraphStage& from = graph_.stages[graph_.edges[e].from_stage];
    return from.starts[graph_.edges[e].from_port] >= 0;
  }

  // A gather fires once, by whichever edges its elements came: the first edge of its port stands for all.
  void leave_scatter(std::int32_t l, MaybeGuard entered) {
    const bool known = entered && endings_[static_cast<std::size_t>(l)].known;
    std::vector<PortId> seen;
    for (const std::uint32_t e : turns_.of(l).exits) {
      const PortId port{graph_.edges[e].to_stage, graph_.edges[e].to_port};
      const bool first = std::find(seen.begin(), seen.end(), port) == seen.end();
      seen.push_back(port);
      flow_.edge[e].push_back(!known ? MaybeGuard() : first ? *entered : Guards::kNever);
    }
  }

  // Ends the analysis of a turn of loop `l`: finds when another turn follows, and the possible last turns.
  void end_turn(std::int32_t l) {
    const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(l)];
    Together together(
        *this, problem::kTurnDiffers,
        cat("the next turn of loop ", quote(loop.name), " begins with inputs that come under different choices"));
    for (const PortId& port : turns_.of(l).entries) {
      Merge merge;
      for (const std::uint32_t e : graph_.stages[port.stage].in[port.port]) {
        if (graph_.edges[e].loop == l) add_writer(merge, e);
      }
      const bool broken = graph_.stages[port.stage].broken[port.port];
      together.add(port, merge.known && !broken ? MaybeGuard(merge.guard) : std::nullopt);
    }
    const MaybeGuard again = together.guard();
    if (again) find_endings(l, *again);
  }

  void find_endings(std::int32_t l, Guard again) {
    Endings& endings = endings_[static_cast<std::size_t>(l)];
    endings.known = true;
    endings.ways = {guards_.without(Guards::kAlways, again)};
    bool ends = again != Guards::kAlways;
    for (const std::uint32_t e : turns_.of(l).exits) {
      MaybeGuard& exit = flow_.edge[e].back();
      if (!exit) continue;
      if (const Guard early = guards_.both(*exit, again); early != Guards::kNever) {
        report_early_exit(l, e, early);
        exit.reset();
        ends = true;  // the edge was meant to end the loop
        continue;
      }
      std::vector<Guard> finer;
      for (const Guard way : endings.ways) {
        for (const Guard part : {guards_.both(way, *exit), guards_.without(way, *exit)}) {
          if (part != Guards::kNever) finer.push_back(part);
        }
      }
      endings.ways = std::move(finer);
      if (endings.ways.size() > kMaxEndings) return report_endings(l);
    }
    if (!ends) report_endless(l);
  }

  // Nothing behind an endless loop waits for it: timing would decide if the instance completes or fails.
  void report_endless(std::int32_t l) {
    const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(l)];
    endings_[static_cast<std::size_t>(l)].known = false;
    if (!graph_.whole) return;
    error(problem::kNotAtSink, loop.place, cat("loop ", quote(loop.name), " never ends: every turn starts another one"),
          "let the port that goes on be of a `one_of` group, and another port of it leave the loop");
  }

  void report_early_exit(std::int32_t l, std::uint32_t e, Guard early) {
    const GraphEdge& edge = graph_.edges[e];
    const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(l)];
    error(problem::kLeavesEarly, edge.place,
          cat(quote(graph_.writer_name(edge)), " leaves loop ", quote(loop.name),
              " also from turns after which the loop goes on: ", when(early)),
          "an edge leaves a loop once per entry: let the port that leaves and the port that goes on be of one `one_of` "
          "group",
          {{loop.place, "the loop goes on here"}});
  }

  void report_endings(std::int32_t l) {
    const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(l)];
    endings_[static_cast<std::size_t>(l)].known = false;
    error(problem::kTooComplex, loop.place,
          cat("loop ", quote(loop.name), " may end in more than ", kMaxEndings, " ways"),
          "merge the alternatives inside the loop before they leave it");
  }

  // The way a loop ended is a choice to the stages after it.
  void leave_loop(std::int32_t l, MaybeGuard entered) {
    const Endings& endings = endings_[static_cast<std::size_t>(l)];
    const bool known = entered && endings.known;
    const bool several = known && endings.ways.size() > 1;
    const std::uint32_t variable = several ? add_variable(name_endings(l, endings.ways)) : 0;
    for (const std::uint32_t e : turns_.of(l).exits) {
      const MaybeGuard exit = flow_.edge[e].back();
      MaybeGuard left;
      if (known && exit) left = *exit == Guards::kNever ? Guards::kNever : *entered;
      if (several && exit) {
        std::vector<bool> values;
        for (const Guard way : endings.ways) values.push_back(guards_.implies(way, *exit));
        left = guards_.choose(*entered, variable, values);
      }
      flow_.edge[e].push_back(left);
    }
  }

  std::vector<std::string> name_endings(std::int32_t l, const std::vector<Guard>& ways) {
    std::vector<std::string> names;
    const std::string loop = cat("loop ", quote(graph_.loops[static_cast<std::size_t>(l)].name), " ends");
    for (const Guard way : ways) {
      std::string by = " without a token that leaves it";
      for (const std::uint32_t e : turns_.of(l).exits) {
        const MaybeGuard exit = flow_.edge[e].back();
        if (exit && guards_.implies(way, *exit)) by = cat(" by ", quote(graph_.writer_name(graph_.edges[e])));
      }
      names.push_back(loop + by);
    }
    return names;
  }

  void check_held(std::int32_t context, std::uint32_t item, MaybeGuard fires) {
    for (const PortId& port : turns_.held(item)) {
      const MaybeGuard held = arrival(context, port);
      if (!held || !fires || guards_.implies(*fires, *held)) continue;
      const Guard missing = guards_.without(*fires, *held);
      error(problem::kHeldMissing, graph_.stages[port.stage].input_places[port.port],
            cat("held input ", quote(graph_.input_name(port.stage, port.port)), " has no token ", when(missing)),
            "a held token must come whenever its reader fires: merge the alternatives, or write it before the choice");
    }
  }

  void check_stage(std::uint32_t s) {
    const GraphStage& stage = graph_.stages[s];
    const MaybeGuard fires = flow_.stage[s];
    if (!fires || stage.kernel == nullptr) return;
    if (stage.kernel->stateful == Stateful::kRun && (stage.loop >= 0 || *fires != Guards::kAlways)) {
      const bool looped = stage.loop >= 0;
      error(problem::kRunState, stage.place,
            cat("kernel ", quote(stage.kernel->name), " keeps state for the run, so stage ", quote(stage.name),
                " must fire exactly once per instance, but it ",
                looped ? std::string(is_scatter(stage.loop) ? "is in a scatter" : "is in a loop")
                       : "does not fire " + when(guards_.without(Guards::kAlways, *fires))),
            looped ? cat("move it out of the ", is_scatter(stage.loop) ? "scatter" : "loop")
                   : "move it before the choice, or after the branches merge");
    }
    check_awaited(s, *fires);
  }

  // An input that is not held must wait for every firing; else the instance could complete before the firing ends.
  void check_awaited(std::uint32_t s, Guard fires) {
    const GraphStage& stage = graph_.stages[s];
    Guard awaited = Guards::kNever;
    for (const auto& port : stage.out) {
      if (port.empty()) return;  // reported as unread
      for (const std::uint32_t e : port) {
        const std::vector<MaybeGuard>& token = flow_.edge[e];
        const MaybeGuard reader = graph_.edges[e].hold ? reader_fires(graph_.edges[e]) : Guards::kAlways;
        if (token.empty() || !token.front() || !token.back() || !reader) return;
        const bool sure = guards_.implies(*token.back(), *reader);
        const bool near = token.size() == 1;  // the reader's choices are made in the writer's turn
        const Guard read = sure ? Guards::kAlways : near ? *reader : Guards::kNever;
        awaited = guards_.either(awaited, guards_.both(*token.front(), read));
      }
    }
    if (guards_.implies(fires, awaited)) return;
    error(
        problem::kNotAtSink, stage.place,
        cat("nothing waits for stage ", quote(stage.name), " ", when(guards_.without(fires, awaited)),
            ": only held inputs that do not fire read it"),
        "every course of an instance must end at the sink: let a stage on the way to an output read it without `hold`");
  }

  // The guard, in the edge's context, under which the reader of a held edge is sure to fire.
  MaybeGuard reader_fires(const GraphEdge& edge) const {
    MaybeGuard guard = flow_.stage[edge.to_stage];
    for (std::int32_t l = graph_.stages[edge.to_stage].loop; l != edge.context; l = graph_.parent(l)) {
      if (!guard) return guard;
      // A turn may skip the reader, and a scatter may have no elements: the reader perhaps never fires.
      if (*guard != Guards::kAlways || is_scatter(l)) return Guards::kNever;
      guard = flow_.loop[static_cast<std::size_t>(l)];
    }
    return guard;
  }

  const Graph& graph_;
  const TurnGraphs& turns_;
  Report& report_;
  Flow flow_;
  Guards& guards_ = flow_.guards;
  std::vector<Endings> endings_;  // by loop
};

}  // namespace

std::string Flow::when(Guard guard) const {
  const std::vector<Choice> choices = guards.example(guard);
  std::string text;
  for (std::size_t i = 0; i < std::min(choices.size(), kMaxChoicesShown); ++i) {
    text += (i == 0 ? "when " : " and ") + choice_names[choices[i].variable][choices[i].value];
  }
  return text.empty() ? "always" : text;
}

std::optional<Guard> Flow::edge_in(const Graph& graph, std::uint32_t edge_id, std::int32_t context) const {
  const GraphEdge& e = graph.edges[edge_id];
  const std::uint32_t from = graph.depth(graph.stages[e.from_stage].loop);
  const std::size_t level = from - graph.depth(context);
  return level < edge[edge_id].size() ? edge[edge_id][level] : std::nullopt;
}

Flow analyse_flow(const Graph& graph, const TurnGraphs& turns, Report& report) {
  return FlowAnalyser(graph, turns, report).run();
}

}  // namespace woa
