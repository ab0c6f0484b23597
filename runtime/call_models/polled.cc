// rpc-polled: calls as in rpc-hub, but results stay with their writers until the caller, who polls, asks for them
// (docs/adr/0033-signals-make-calls-return.md).
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "runtime/call_models/rewrites.h"

namespace woa::call_models {
namespace {

Status refuse_polled(const StagePlan& stage, const std::string& why) {
  return {Code::kUnsupported, "stage '" + stage.name + "' " + why + "; rpc-polled cannot ask for its results"};
}

// An answer to a poll says only that a firing is done, or which way its one choice went.
Status check_stage(const StagePlan& stage) {
  std::set<std::int32_t> groups;
  for (const OutputPortPlan& port : stage.outputs) {
    if (port.many != 0) return refuse_polled(stage, "scatters");
    if (port.one_of >= 0) groups.insert(port.one_of);
  }
  return groups.size() > 1 ? refuse_polled(stage, "makes several choices at once") : Status();
}

Status check_polled(const Plan& plan) {
  for (const StagePlan& stage : plan.stages)
    if (stage.controller != kHostController) WOA_RETURN_IF_ERROR(check_stage(stage));
  for (const EdgePlan& edge : plan.edges)
    if (edge.count) return refuse_polled(plan.stages[edge.from_stage], "scatters");
  return {};
}

class Polling {
 public:
  Polling(const Plan& plan, std::uint32_t tag_bit) : plan_(plan), tag_bit_(tag_bit), polled_(to_hub(plan, &callers_)) {}

  Plan rewrite() {
    for (std::uint32_t s = 0; s < plan_.stages.size(); ++s) {
      if (plan_.stages[s].controller == kHostController) continue;
      add_poll(s);
      keep_results(s);
      add_answers(s);
    }
    return std::move(polled_);
  }

 private:
  struct Kept {
    std::size_t edge;     // of the plan
    std::uint32_t relay;  // where its tokens wait
  };

  std::uint32_t add(StagePlan relay) {
    polled_.stages.push_back(std::move(relay));
    return static_cast<std::uint32_t>(polled_.stages.size() - 1);
  }
  [[nodiscard]] InputPortPlan signal(const char* name) const { return signal_input(name, tag_bit_); }

  // The poll leaves with the call. The answer does not need it once the firing is done, so nobody waits for it.
  void add_poll(std::uint32_t s) {
    const StagePlan& stage = plan_.stages[s];
    const std::uint32_t poll = add(make_relay(stage.name + ".poll", stage.controller, {signal("poll")}));
    const std::uint32_t port = consumed_input(stage);
    const auto call = std::ranges::find_if(
        polled_.edges, [&](const EdgePlan& edge) { return edge.from_stage == callers_[s] && edge.from_port == port; });
    polled_.edges.push_back(signal_from(callers_[s], port, poll, 0, *call));
  }

  // Keeps a stage's results in relays beside it.
  void keep_results(std::uint32_t s) {
    const StagePlan& stage = plan_.stages[s];
    kept_.clear();
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
      if (plan_.edges[e].from_stage != s) continue;
      const OutputPortPlan& port = stage.outputs[plan_.edges[e].from_port];
      std::string name = stage.name + "." + port.name + ".result" + std::to_string(kept_.size());
      const std::uint32_t relay =
          add(make_relay(std::move(name), stage.controller, {input_for(port, port.name), signal("ask")}));
      EdgePlan& edge = polled_.edges[e];
      EdgePlan fetched = edge_from(relay, 0, edge.to_stage, edge.to_port);
      fetched.min_blocks = edge.min_blocks;
      fetched.blocks = edge.blocks;
      fetched.inline_bytes = edge.inline_bytes;
      fetched.lane = edge.lane;
      edge.to_stage = relay;
      edge.to_port = 0;
      polled_.edges.push_back(std::move(fetched));
      kept_.push_back({e, relay});
    }
  }

  // Each port of a choice answers for itself and for the ports that are always written; without a choice the first port
  // answers for all.
  void add_answers(std::uint32_t s) {
    const auto& outputs = plan_.stages[s].outputs;
    const auto chosen = [](const OutputPortPlan& port) { return port.one_of >= 0; };
    const bool chooses = std::ranges::any_of(outputs, chosen);
    for (std::uint32_t port = 0; port < outputs.size(); ++port)
      if (chooses ? chosen(outputs[port]) : port == 0) add_answer(s, port);
  }
  void add_answer(std::uint32_t s, std::uint32_t port) {
    const StagePlan& stage = plan_.stages[s];
    const std::uint32_t asker =
        add(make_relay(stage.name + "." + stage.outputs[port].name + ".ask", kHostController, {signal("done")}));
    EdgePlan room;
    room.min_blocks = room.blocks = 0;
    for (const Kept& kept : kept_) {
      const EdgePlan& edge = plan_.edges[kept.edge];
      if (edge.from_port != port && stage.outputs[edge.from_port].one_of >= 0) continue;
      room.min_blocks = std::max(room.min_blocks, edge.min_blocks);
      room.blocks = std::max(room.blocks, edge.blocks * edge.choice.replicas);
      EdgePlan ask = signal_from(asker, 0, kept.relay, 1, edge);
      ask.keep = edge.keep, ask.step = edge.step, ask.loop = edge.loop;
      ask.choice = edge.choice;
      polled_.edges.push_back(std::move(ask));
    }
    polled_.edges.push_back(signal_from(s, port, asker, 0, room));
  }

  const Plan& plan_;
  std::uint32_t tag_bit_;
  std::vector<std::uint32_t> callers_;  // by stage
  Plan polled_;
  std::vector<Kept> kept_;  // of the current stage
};

}  // namespace

Result<Plan> to_polled(const Plan& plan) {
  WOA_RETURN_IF_ERROR(check_polled(plan));
  const auto bit = free_tag_bit(plan);
  if (!bit.ok()) return bit.status();
  return Polling(plan, *bit).rewrite();
}

}  // namespace woa::call_models
