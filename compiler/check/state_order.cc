#include "compiler/check/state_order.h"

#include <string>
#include <utility>

#include "compiler/check/order.h"

namespace woa {
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
  // Comes element i + 1 after element i, and 0 first?
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

  // Firings of later turns must begin after those before have ended.
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
