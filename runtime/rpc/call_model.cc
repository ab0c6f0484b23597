#include "runtime/rpc/call_model.h"

#include <algorithm>
#include <string>

namespace woa {
namespace {

// The relay of `stage`: same inputs, same matching, one output per input.
StagePlan relay_of(const StagePlan& stage) {
  StagePlan relay;
  relay.name = stage.name + ".call";
  relay.role = StageRole::kRelay;
  relay.controller = kHostController;
  relay.inputs = stage.inputs;
  for (const InputPortPlan& input : stage.inputs) {
    OutputPortPlan output{input.name, input.type, -1, -1, input.optional};
    output.many = input.gather;
    output.index_shift = input.index_shift;
    output.index_bits = input.index_bits;
    relay.outputs.push_back(std::move(output));
  }
  return relay;
}

// What goes to a stage's port goes to its relay, and from there to the stage: tokens, or the counts of a gather.
void call(Plan& hub, std::uint32_t relay, std::uint32_t stage, std::uint32_t port, bool count) {
  EdgePlan call{relay, port, stage, port, ~std::uint64_t{0}, 0, -1, 0, 0, 0};
  call.count = count;
  for (EdgePlan& edge : hub.edges) {
    if (edge.to_stage != stage || edge.to_port != port || edge.count != count) continue;
    edge.to_stage = relay;
    call.min_blocks += edge.min_blocks;
    call.blocks += edge.blocks;
    call.inline_bytes = std::max(call.inline_bytes, edge.inline_bytes);
    if (call.lane.empty()) call.lane = edge.lane;
  }
  hub.edges.push_back(call);
}

Plan to_hub(const Plan& plan) {
  Plan hub = plan;
  hub.model = "rpc-hub";
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.controller == kHostController) continue;
    const auto relay = static_cast<std::uint32_t>(hub.stages.size());
    hub.stages.push_back(relay_of(stage));
    for (std::uint32_t port = 0; port < stage.inputs.size(); ++port) {
      call(hub, relay, s, port, false);
      if (stage.inputs[port].gather != 0) call(hub, relay, s, port, true);
    }
  }
  return hub;
}

}  // namespace

Result<Plan> rewrite(const Plan& plan, std::string_view model) {
  if (plan.model == model) return plan;
  if (model != "woa" && model != "rpc-hub") {
    return {Code::kNotFound, "call model '" + std::string(model) + "' does not exist; choose woa or rpc-hub"};
  }
  if (plan.model != "woa") {
    return {Code::kInvalid, "the plan was compiled for call model '" + plan.model + "' and cannot be turned into '" +
                                std::string(model) + "'; compile the graph again with --model " + std::string(model)};
  }
  Plan hub = to_hub(plan);
  if (Status status = validate(hub); !status.ok()) return status.with_context("as " + std::string(model));
  return hub;
}

}  // namespace woa
