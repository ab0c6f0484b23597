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
  for (const InputPortPlan& input : stage.inputs)
    relay.outputs.push_back({input.name, input.type, -1, -1, input.optional});
  return relay;
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
      EdgePlan call{relay, port, s, port, ~std::uint64_t{0}, 0, -1, 0, 0, 0};
      for (EdgePlan& edge : hub.edges) {
        if (edge.to_stage != s || edge.to_port != port) continue;
        edge.to_stage = relay;
        call.min_blocks += edge.min_blocks;
        call.blocks += edge.blocks;
        call.inline_bytes = std::max(call.inline_bytes, edge.inline_bytes);
        if (call.lane.empty()) call.lane = edge.lane;
      }
      hub.edges.push_back(call);
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
