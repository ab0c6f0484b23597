// rpc-nested: tokens go as in woa, each as a call; returns come back the same way, through a relay beside every stage
// that waits for the returns of its firing's calls (docs/adr/0033-signals-make-calls-return.md).
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/call_models/rewrites.h"
#include "runtime/plan/call_models.h"
#include "runtime/plan/index.h"

namespace woa::call_models {
namespace {

Status refuse_nested(const StagePlan& stage, const std::string& why) {
  return {Code::kUnsupported, "stage '" + stage.name + "' " + why + "; rpc-nested has no way back there"};
}

Status check_nested(const Plan& plan) {
  std::vector<std::vector<std::uint32_t>> writers(plan.stages.size());
  for (std::size_t s = 0; s < plan.stages.size(); ++s) writers[s].resize(plan.stages[s].inputs.size());
  for (const EdgePlan& edge : plan.edges) {
    const StagePlan &from = plan.stages[edge.from_stage], &to = plan.stages[edge.to_stage];
    if (edge.lane == kReturnLane)
      return {Code::kUnsupported, "an edge of stage '" + to.name + "' has the lane '" + std::string(kReturnLane) +
                                      "', which rpc-nested keeps for returns; give the lane another name"};
    if (edge.loop >= 0)
      return refuse_nested(to, "is entered by a loop, and what follows would return into one turn of it");
    if (edge.count) return refuse_nested(to, "gathers a scatter");
    if (edge.choice.replicas > 1) return refuse_nested(to, "is one of several replicas");
    if (from.outputs[edge.from_port].one_of >= 0) return refuse_nested(from, "chooses among its outputs");
    if (++writers[edge.to_stage][edge.to_port] > 1)
      return refuse_nested(to, "has several writers for input '" + to.inputs[edge.to_port].name + "'");
  }
  return {};
}

class Nesting {
 public:
  explicit Nesting(const Plan& plan)
      : plan_(plan), nested_(plan), tag_bit_(0), returns_(plan.stages.size()), rides_(plan.stages.size()) {}

  Result<Plan> rewrite() {
    WOA_RETURN_IF_ERROR(check_nested(plan_));
    const auto bit = free_tag_bit(plan_);
    if (!bit.ok()) return bit.status();
    tag_bit_ = *bit;
    std::vector<std::uint32_t> order = stages_in_order(plan_);
    std::ranges::reverse(order);
    for (const std::uint32_t stage : order) {
      if (stage == kSinkStage) continue;
      add_return(stage);
      for (const Ride& ride : rides_[stage])
        if (ride.passed > kMaxPassed)
          return refuse_nested(plan_.stages[stage],
                               "calls more than " + std::to_string(kMaxPassed - 1) + " deep until an output returns");
    }
    for (const Ride& ride : rides_[kSourceStage])
      nested_.edges.push_back(
          like(ride.edge, edge_from(returns_[kSourceStage], ride.port, kSinkStage, plan_.edges[ride.edge].to_port)));
    return std::move(nested_);
  }

 private:
  struct Ride {          // an output of the graph that returns with a call
    std::size_t edge;    // of the plan, into the sink
    std::uint32_t port;  // of the return's relay
    std::size_t passed;  // relays passed, this one included
  };

  // Adds the relay that waits for the calls of a stage's firing, and the edges that return to it. The stages that it
  // calls have their relays already.
  void add_return(std::uint32_t stage) {
    const auto relay = static_cast<std::uint32_t>(nested_.stages.size());
    returns_[stage] = relay;
    std::vector<InputPortPlan> inputs;
    const auto name = [&] { return "r" + std::to_string(inputs.size()); };
    const auto port = [&] { return static_cast<std::uint32_t>(inputs.size()); };
    for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
      const EdgePlan& edge = plan_.edges[e];
      if (edge.from_stage != stage) continue;
      const OutputPortPlan& output = plan_.stages[stage].outputs[edge.from_port];
      if (edge.to_stage == kSinkStage) {
        rides_[stage].push_back({e, port(), 1});
        nested_.edges[e].to_stage = relay;
        nested_.edges[e].to_port = port();
        inputs.push_back(input_for(output, name()));
      } else if (edge.to_port != 0 || rides_[edge.to_stage].empty()) {
        add_signal(edge.to_stage, relay, port());
        inputs.push_back(signal_input(name(), tag_bit_));
      } else {
        for (const Ride& ride : rides_[edge.to_stage]) {
          const EdgePlan& from = plan_.edges[ride.edge];
          rides_[stage].push_back({ride.edge, port(), ride.passed + 1});
          EdgePlan back = like(ride.edge, edge_from(returns_[edge.to_stage], ride.port, relay, port()));
          back.lane = kReturnLane;
          nested_.edges.push_back(std::move(back));
          inputs.push_back(input_for(plan_.stages[from.from_stage].outputs[from.from_port], name()));
        }
      }
    }
    nested_.stages.push_back(
        make_relay(plan_.stages[stage].name + ".return", plan_.stages[stage].controller, std::move(inputs)));
  }

  void add_signal(std::uint32_t called, std::uint32_t relay, std::uint32_t port) {
    EdgePlan one;
    one.min_blocks = 1;
    one.blocks = plan_.window;
    EdgePlan back = signal_from(returns_[called], 0, relay, port, one);
    back.lane = kReturnLane;
    nested_.edges.push_back(std::move(back));
  }

  // `made` with the blocks of the plan's edge.
  [[nodiscard]] EdgePlan like(std::size_t edge, EdgePlan made) const {
    made.min_blocks = plan_.edges[edge].min_blocks;
    made.blocks = plan_.edges[edge].blocks;
    made.inline_bytes = plan_.edges[edge].inline_bytes;
    return made;
  }

  const Plan& plan_;
  Plan nested_;
  std::uint32_t tag_bit_;
  std::vector<std::uint32_t> returns_;    // by stage: its relay
  std::vector<std::vector<Ride>> rides_;  // by stage: outputs on its return
};

}  // namespace

Result<Plan> to_nested(const Plan& plan) { return Nesting(plan).rewrite(); }

}  // namespace woa::call_models
