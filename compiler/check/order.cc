#include "compiler/check/order.h"

#include <algorithm>

namespace woa {
namespace {

constexpr std::uint64_t kMaxOrderWork = 10'000'000;  // ports visited; beyond, nothing more is proved

}  // namespace

Orders::Orders(const Graph& graph, const TurnGraphs& turns, Flow& flow)
    : graph_(graph), turns_(turns), flow_(flow), cuts_found_(graph.loops.size()) {
  const std::size_t items = graph.stages.size() + graph.loops.size();
  turn_.resize(items);
  later_.resize(items);
  cut_items_.resize(items);
}

// An item is a cut of its turn if no edge leads past it: all items behind it in the order then wait for it.
void Orders::find_cuts(std::int32_t context) {
  const TurnGraph& turn = turns_.of(context);
  std::vector<std::int32_t> passing(turn.order.size() + 1);  // change of the number of edges that lead past a position
  const auto span = [&](std::size_t from, std::size_t to) {
    if (from >= to) return;
    ++passing[from];
    --passing[to];
  };
  const auto span_edges = [&](std::uint32_t item, const auto& edges) {
    for (const std::uint32_t e : edges) {
      const GraphEdge& edge = graph_.edges[e];
      if (edge.context != context || edge.loop >= 0 || edge.hold) continue;
      span(turns_.position(item) + 1, turns_.position(turns_.item(context, edge.to_stage)));
    }
  };
  for (const std::uint32_t item : turn.order) {
    if (turns_.is_loop(item)) {
      span_edges(item, turns_.of(turns_.loop_of(item)).exits);
    } else {
      for (const auto& port : graph_.stages[item].out) span_edges(item, port);
    }
  }
  for (const PortId& entry : turn.entries) span(0, turns_.position(turns_.item(context, entry.stage)));
  std::int32_t count = 0;
  for (std::size_t i = 0; i < turn.order.size(); ++i) {
    count += passing[i];
    cut_items_[turn.order[i]] = count == 0;
  }
}

bool Orders::is_cut(std::int32_t context, std::uint32_t item) {
  const auto index = static_cast<std::size_t>(context);
  if (!cuts_found_[index]) find_cuts(context);
  cuts_found_[index] = true;
  return cut_items_[item];
}

bool Orders::compatible(std::uint32_t e, bool any_guard) {
  if (any_guard || event_.guard == Guards::kAlways) return true;
  const std::optional<Guard> guard = flow_.edge_in(graph_, e, context_);
  return !guard || flow_.guards.both(*guard, event_.guard) != Guards::kNever;
}

bool Orders::written_after(std::uint32_t e, bool in_later_turn) const {
  const std::uint32_t writer = turns_.item(context_, graph_.edges[e].from_stage);
  if (in_later_turn) return later(writer);
  if (writer != event_.item) return in_turn(writer);
  return event_.all_exits || std::binary_search(event_.exits.begin(), event_.exits.end(), e);
}

bool Orders::begins_turn(const PortId& port) const {
  const std::vector<PortId>& entries = turns_.of(context_).entries;
  return std::binary_search(entries.begin(), entries.end(), port);
}

bool Orders::port_after(const PortId& port, bool in_later_turn) {
  if (begins_turn(port)) return in_later_turn && std::binary_search(starts_.begin(), starts_.end(), port);
  for (const std::uint32_t e : graph_.stages[port.stage].in[port.port]) {
    const GraphEdge& edge = graph_.edges[e];
    ++work_;
    if (edge.loop >= 0) continue;
    if (edge.context != context_) return false;  // held, written before the loop
    if (compatible(e, in_later_turn) && !written_after(e, in_later_turn)) return false;
  }
  return true;
}

bool Orders::item_after(std::uint32_t item, bool in_later_turn) {
  if (turns_.is_loop(item)) {
    const std::vector<PortId>& entries = turns_.of(turns_.loop_of(item)).entries;
    return std::all_of(entries.begin(), entries.end(), [&](const PortId& p) { return port_after(p, in_later_turn); });
  }
  for (std::uint32_t p = 0; p < graph_.stages[item].in.size(); ++p) {
    if (port_after({item, p}, in_later_turn)) return true;
  }
  return false;
}

bool Orders::exhausted() const noexcept { return work_ >= kMaxOrderWork; }

bool Orders::in_turn(std::uint32_t item) const {
  return cut_ ? turns_.position(item) > turns_.position(event_.item) : turn_[item] == turn_mark_;
}

void Orders::mark_turn() {
  const std::vector<std::uint32_t>& order = turns_.of(context_).order;
  cut_ = event_.all_exits && is_cut(context_, event_.item);
  if (cut_) return;
  for (std::size_t i = turns_.position(event_.item) + 1; i < order.size() && work_ < kMaxOrderWork; ++i) {
    if (item_after(order[i], false)) turn_[order[i]] = turn_mark_;
  }
}

// A greatest fixed point: drops entries of the next turn from `starts_` until the rest implies itself a turn later.
void Orders::mark_later() {
  const TurnGraph& turn = turns_.of(context_);
  const std::size_t wanted = turn.entries.size();
  all_later_ = starts_.size() == wanted;
  while (!all_later_) {
    ++later_mark_;
    for (std::size_t i = 0; i < turn.order.size(); ++i) {
      if (work_ < kMaxOrderWork && item_after(turn.order[i], true)) later_[turn.order[i]] = later_mark_;
    }
    const std::size_t before = starts_.size();
    std::erase_if(starts_, [&](const PortId& port) {
      const auto& in = graph_.stages[port.stage].in[port.port];
      return std::any_of(in.begin(), in.end(),
                         [&](std::uint32_t e) { return graph_.edges[e].loop == context_ && !written_after(e, true); });
    });
    if (starts_.size() == before) return;
  }
}

void Orders::look(std::int32_t context, const Event& event) {
  context_ = context;
  event_ = event;
  ++turn_mark_;
  mark_turn();
  starts_.clear();
  last_turn_ = true;
  all_later_ = false;
  ++later_mark_;
  if (graph_.loops[static_cast<std::size_t>(context)].scatter) return;  // no element waits for another
  const TurnGraph& turn = turns_.of(context);
  std::vector<PortId> early;
  for (const std::uint32_t e : turn.again) {
    if (!compatible(e, false)) continue;
    last_turn_ = false;
    if (!written_after(e, false)) early.push_back({graph_.edges[e].to_stage, graph_.edges[e].to_port});
  }
  std::sort(early.begin(), early.end());
  std::set_difference(turn.entries.begin(), turn.entries.end(), early.begin(), early.end(),
                      std::back_inserter(starts_));
  mark_later();
}

Event Orders::from_outside() {
  Event outer;
  outer.item = turns_.item_of(context_);
  outer.guard = flow_.loop[static_cast<std::size_t>(context_)].value_or(Guards::kAlways);
  for (const std::uint32_t e : turns_.of(context_).exits) {
    const std::uint32_t writer = turns_.item(context_, graph_.edges[e].from_stage);
    const bool after =
        !compatible(e, false) || written_after(e, false);  // an exit that the turn does not take counts as after
    if (after && (last_turn_ || later(writer))) {
      outer.exits.push_back(e);
    } else {
      outer.all_exits = false;
    }
  }
  return outer;
}

namespace {

class StateOrder {
 public:
  StateOrder(const Graph& graph, const TurnGraphs& turns, Flow& flow, Report& report)
      : graph_(graph), flow_(flow), report_(report), orders_(graph, turns, flow) {}

  void check(std::uint32_t s) {
    const std::int32_t scatter = graph_.scatter_around(graph_.stages[s].loop);
    if (scatter < 0 || check_elements(s, scatter)) check_turns(s);
  }

 private:
  // True if element i + 1 comes after element i, and 0 first; else reports.
  bool check_elements(std::uint32_t s, std::int32_t scatter) {
    const GraphStage& stage = graph_.stages[s];
    if (stage.loop != scatter) {
      const GraphLoop& inner = loop(stage.loop);
      report(stage, cat("for one element of scatter ", quote(loop(scatter).name), " after the other"),
             cat("each of them may take any number of turns of loop ", quote(inner.name)), "move it out of the loop",
             {inner.place, "the loop"});
      return false;
    }
    if (const std::int32_t outer = graph_.scatter_around(graph_.parent(scatter)); outer >= 0) {
      report(stage, cat("for one element of scatter ", quote(loop(outer).name), " after the other"),
             cat("each of them may have any number of elements of ", quote(loop(scatter).name)),
             cat("move it behind the gather of ", quote(loop(scatter).name)),
             {loop(scatter).place, "the inner scatter"});
      return false;
    }
    if (*flow_.stage[s] == Guards::kAlways) return true;
    const Guard missing = flow_.guards.without(Guards::kAlways, *flow_.stage[s]);
    report(stage, cat("for one element of scatter ", quote(loop(scatter).name), " after the other"),
           cat("it gets nothing of an element ", flow_.when(missing), ", and cannot know that none is to come"),
           "let it fire where the branches have merged, for every element, or behind the gather",
           {loop(scatter).place, "the scatter"});
    return false;
  }

  // Firings of a later turn must begin after those of earlier turns have ended.
  void check_turns(std::uint32_t s) {
    const GraphStage& stage = graph_.stages[s];
    Event event{s, true, {}, *flow_.stage[s]};
    for (std::int32_t l = stage.loop; l >= 0; l = graph_.parent(l)) {
      orders_.look(l, event);
      if (!loop(l).scatter && !orders_.later(event.item))
        return report(stage, cat("in the order of the turns of loop ", quote(loop(l).name)),
                      "nothing makes a turn wait until the one before is through with it",
                      "let what goes round the loop depend on what the stage writes", {loop(l).place, "the loop"});
      event = orders_.from_outside();
    }
  }

  void report(const GraphStage& stage, const std::string& order, const std::string& but, std::string fix, Note note) {
    report_.error(problem::kStateOrder, stage.place,
                  cat("kernel ", quote(stage.kernel->name), " keeps state for an instance, so stage ",
                      quote(stage.name), " must fire ", order, ", but ", but),
                  std::move(fix), {std::move(note)});
  }

  [[nodiscard]] const GraphLoop& loop(std::int32_t l) const { return graph_.loops[static_cast<std::size_t>(l)]; }

  const Graph& graph_;
  Flow& flow_;
  Report& report_;
  Orders orders_;
};

}  // namespace

void check_state_order(const Graph& graph, const TurnGraphs& turns, Flow& flow, Report& report) {
  std::optional<StateOrder> order;  // few graphs need it
  for (std::uint32_t s = 0; s < graph.stages.size(); ++s) {
    if (!graph.stages[s].keeps_state || !flow.stage[s]) continue;
    if (!order) order.emplace(graph, turns, flow, report);
    order->check(s);
  }
}

}  // namespace woa
