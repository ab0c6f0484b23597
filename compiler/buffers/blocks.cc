#include "compiler/buffers/blocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/certificate/live_blocks.h"
#include "compiler/check/order.h"

namespace woa {
namespace {

class BlockCounter {
 public:
  BlockCounter(Graph& graph, const TurnGraphs& turns, Flow& flow, Report& report)
      : graph_(graph), turns_(turns), flow_(flow), report_(report), orders_(graph, turns, flow) {}

  void run() {
    const auto edges = static_cast<std::uint32_t>(graph_.edges.size());
    for (std::uint32_t e = 0; e < edges; ++e) count(e);
    for (const GraphLoop& scatter : graph_.loops) {
      for (const auto& [stage, port] : scatter.gathers) add_count(scatter, stage, port);
    }
    report_too_many();
  }

 private:
  struct TooMany {
    std::set<std::int32_t> loops;  // whose turns or elements all count
    std::string edge;
    Place place;
    std::string text;
    std::vector<Note> notes;
  };

  void count(std::uint32_t e) {
    GraphEdge& edge = graph_.edges[e];
    begin();
    const GraphStage& from = graph_.stages[edge.from_stage];
    if (const std::int32_t scatter = from.starts.empty() ? -1 : from.starts[edge.from_port]; scatter >= 0)
      every_turn(scatter);
    Event written = lift(stage_event(edge.from_stage), from.loop, edge.context, true);
    edge.renewed = edge.hold && is_renewed(edge);
    if (edge.renewed) {
      multiply(kRenewedBlocks, " (turns follow one another: one that is read, one that nobody read, and the next)");
    } else if (edge.hold) {
      for (std::int32_t l = edge.context; l >= 0; l = graph_.parent(l)) every_turn(l);
    } else if (edge.context >= 0) {
      count_shared(edge, written, flow_.edge_in(graph_, e, edge.context));
    }
    end(edge);
  }

  // True if no firing needs a held token once one of a later turn has come: every firing that reads the port ends
  // before any of its writers fires in a later turn of each loop around. Only where that takes fewer blocks. The answer
  // is the same for all edges of a port.
  bool is_renewed(const GraphEdge& edge) {
    const auto [known, is_new] = renewed_.try_emplace({edge.to_stage, edge.to_port}, false);
    if (is_new) known->second = takes_fewer_renewed(edge.context) && readers_end_first(edge);
    return known->second;
  }

  [[nodiscard]] bool takes_fewer_renewed(std::int32_t context) const {
    std::uint64_t turns = 1;
    for (std::int32_t l = context; l >= 0; l = graph_.parent(l)) {
      const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(l)];
      if (loop.scatter) return false;  // elements do not follow one another
      turns = std::min(kMaxInstanceBlocks, turns) * (std::uint64_t{loop.max} + 1);
    }
    return turns > kRenewedBlocks;
  }

  bool readers_end_first(const GraphEdge& edge) {
    const GraphStage& reader = graph_.stages[edge.to_stage];
    const std::vector<std::uint32_t>& writers = reader.in[edge.to_port];
    const auto scatters = [&](std::uint32_t e) {
      const std::vector<std::int32_t>& starts = graph_.stages[graph_.edges[e].from_stage].starts;
      return !starts.empty() && starts[graph_.edges[e].from_port] >= 0;
    };
    if (std::ranges::any_of(writers, scatters)) return false;
    Event read = lift(stage_event(edge.to_stage), reader.loop, edge.context, false);
    for (std::int32_t l = edge.context; l >= 0; l = graph_.parent(l)) {
      orders_.look(l, read);
      const auto later = [&](std::uint32_t e) { return orders_.later(turns_.item(l, graph_.edges[e].from_stage)); };
      if (!std::ranges::all_of(writers, later)) return false;
      read = orders_.from_outside();
    }
    return true;
  }

  // A count occupies its block from the claim of the scattering firing to the end of the gathering one.
  void add_count(const GraphLoop& scatter, std::uint32_t stage, std::uint32_t port) {
    const GraphStage& reader = graph_.stages[stage];
    GraphEdge edge{
        scatter.stage, scatter.port, stage, port, reader.input_places[port], false, -1, reader.loop, 1, 1, true, {}};
    begin();
    if (edge.context >= 0) count_shared(edge, stage_event(scatter.stage), flow_.stage[scatter.stage]);
    end(edge);
    graph_.edges.push_back(edge);
  }

  void begin() {
    blocks_ = 1;
    terms_.clear();
    notes_.clear();
    all_of_.clear();
  }
  void end(GraphEdge& edge) {
    edge.min_blocks = static_cast<std::uint32_t>(blocks_);
    if (blocks_ <= kMaxInstanceBlocks) return;
    if (orders_.exhausted()) return report_unknown(edge);
    if (too_many_.size() == kMostTooMany) return;
    std::string name =
        cat("the edge from ", quote(graph_.writer_name(edge)), " to ", quote(graph_.reader_name(edge)), " may hold ");
    too_many_.push_back(
        {all_of_, name, edge.place,
         cat(name, "b(e) = 1", terms_, " tokens of one instance at once, more than ", kMaxInstanceBlocks), notes_});
  }

  // An edge whose loops include all those of another edge becomes a note of that edge's error: one fix mends both.
  void report_too_many() {
    std::ranges::stable_sort(too_many_, {}, [](const TooMany& one) { return one.loops.size(); });
    std::vector<TooMany> causes;
    for (TooMany& one : too_many_) {
      const auto cause = std::ranges::find_if(
          causes, [&](const TooMany& other) { return std::ranges::includes(one.loops, other.loops); });
      if (cause == causes.end())
        causes.push_back(std::move(one));
      else if (cause->notes.size() < kMostNotes)
        cause->notes.push_back({one.place, cat(one.edge, "too many, too")});
    }
    for (TooMany& cause : causes)
      report_.error(problem::kTooManyBlocks, cause.place, std::move(cause.text),
                    "lower `max` of the loop or scatter, or let the writer wait for the reader within a turn",
                    std::move(cause.notes));
  }

  // The search for orders gave up, so the excess may only be apparent. Reports the first such edge only: the search
  // stays exhausted for all later ones.
  void report_unknown(const GraphEdge& edge) {
    if (std::exchange(unknown_, true)) return;
    report_.error(problem::kTooComplex, edge.place,
                  cat("how many tokens of one instance the edge from ", quote(graph_.writer_name(edge)), " to ",
                      quote(graph_.reader_name(edge)), " may hold at once takes too many steps to find out"),
                  "lower `max` of the loops and scatters around it, or divide the graph", notes_);
  }

  Event stage_event(std::uint32_t stage) const {
    return {stage, true, {}, flow_.stage[stage].value_or(Guards::kAlways)};
  }

  // The event as seen from loop `outer`. If `claims`, each loop that the event leaves and in which its stage may
  // overlap itself multiplies the claims that are open at once.
  Event lift(Event event, std::int32_t from, std::int32_t outer, bool claims) {
    for (std::int32_t l = from; l != outer; l = graph_.parent(l)) {
      orders_.look(l, event);
      if (claims && !orders_.later(event.item)) every_turn(l);
      event = orders_.from_outside();
    }
    return event;
  }

  void every_turn(std::int32_t l) {
    const GraphLoop& loop = graph_.loops[static_cast<std::size_t>(l)];
    all_of_.insert(l);
    notes_.push_back(
        {loop.place, cat(loop.scatter ? "scatter " : "loop ", quote(loop.name), " counts with all of it")});
    if (loop.scatter) return multiply(loop.max, cat(" (the elements of scatter ", quote(loop.name), ")"));
    multiply(std::uint64_t{loop.max} + 1, cat(" (the turns of loop ", quote(loop.name), ")"));
  }
  void multiply(std::uint64_t factor, const std::string& why) {
    constexpr std::uint64_t kEnough = 1ULL << 31;
    blocks_ = std::min(kEnough, blocks_ * factor);
    terms_ += cat(" x ", factor, why);
  }

  // Counts the loops that contain both ends, from the innermost outwards. `written`: the end of the writer's firing.
  // `sent`: the guard of the edge's token in the edge's context.
  void count_shared(const GraphEdge& edge, Event written, std::optional<Guard> sent) {
    const std::uint32_t writer = written.item;
    Event read = lift(stage_event(edge.to_stage), graph_.stages[edge.to_stage].loop, edge.context, false);
    if (edge.loop < 0) read.guard = sent.value_or(Guards::kAlways);
    const bool self = edge.from_stage == edge.to_stage;
    std::uint32_t item = writer;
    for (std::int32_t l = edge.context; l >= 0; l = graph_.parent(l)) {
      orders_.look(l, written);
      bool serial = orders_.later(item);
      written = orders_.from_outside();
      orders_.look(l, read);
      const bool next_turn = l == edge.loop;  // the reader fires one turn after the writer
      if (!(next_turn && self)) serial = serial && orders_.later(item) && (!next_turn || orders_.in_turn(item));
      read = orders_.from_outside();
      if (!serial) {
        every_turn(l);
      } else if (next_turn && self) {
        multiply(2, " (the stage feeds itself)");
      }
      item = turns_.item_of(l);
    }
  }

  Graph& graph_;
  const TurnGraphs& turns_;
  Flow& flow_;
  Report& report_;
  Orders orders_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> renewed_;  // by stage and port that holds
  static constexpr std::size_t kMostTooMany = 1000, kMostNotes = 8;
  std::vector<TooMany> too_many_;
  bool unknown_ = false;  // report_unknown() has reported
  std::uint64_t blocks_ = 1;
  std::string terms_;
  std::vector<Note> notes_;
  std::set<std::int32_t> all_of_;
};

}  // namespace

void count_blocks(Graph& graph, ControlFlow& flow, Report& report) {
  BlockCounter(graph, flow.turns, flow.flow, report).run();
}

}  // namespace woa
