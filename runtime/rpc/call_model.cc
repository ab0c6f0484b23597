#include "runtime/rpc/call_model.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace woa {
namespace {

// A stage on the host that passes on what comes for `inputs` of a stage, one output per input.
StagePlan relay_of(const StagePlan& stage, std::vector<InputPortPlan> inputs, const std::string& suffix) {
  StagePlan relay;
  relay.name = stage.name + suffix;
  relay.role = StageRole::kRelay;
  relay.controller = kHostController;
  relay.inputs = std::move(inputs);
  for (const InputPortPlan& input : relay.inputs) {
    OutputPortPlan output{input.name, input.type, -1, -1, input.optional};
    output.many = input.gather;
    output.index_shift = input.index_shift;
    output.index_bits = input.index_bits;
    relay.outputs.push_back(std::move(output));
  }
  return relay;
}

// Turns an edge to the relay's port, and adds what it carries to the edge from there to the stage.
void lead(EdgePlan& edge, std::uint32_t relay, std::uint32_t port, EdgePlan& call) {
  edge.to_stage = relay;
  edge.to_port = port;
  call.min_blocks += edge.min_blocks;
  call.blocks += edge.blocks;
  call.claimed = call.claimed || edge.claimed;
  call.inline_bytes = std::max(call.inline_bytes, edge.inline_bytes);
  if (call.lane.empty()) call.lane = edge.lane;
}

EdgePlan call_edge(std::uint32_t relay, std::uint32_t relay_port, std::uint32_t stage, std::uint32_t port) {
  return {relay, relay_port, stage, port, ~std::uint64_t{0}, 0, -1, 0, 0, 0};
}

// What goes to a stage's port goes to its relay, and from there to the stage: tokens, or the counts of a gather.
void lead_all(Plan& hub, std::uint32_t relay, std::uint32_t stage, std::uint32_t port, bool count) {
  EdgePlan call = call_edge(relay, port, stage, port);
  call.count = count;
  for (EdgePlan& edge : hub.edges)
    if (edge.to_stage == stage && edge.to_port == port && edge.count == count) lead(edge, relay, port, call);
  hub.edges.push_back(call);
}

Plan to_hub(const Plan& plan) {
  Plan hub = plan;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.controller == kHostController) continue;
    const auto relay = static_cast<std::uint32_t>(hub.stages.size());
    hub.stages.push_back(relay_of(stage, stage.inputs, ".call"));
    for (std::uint32_t port = 0; port < stage.inputs.size(); ++port) {
      lead_all(hub, relay, s, port, false);
      if (stage.inputs[port].gather != 0) lead_all(hub, relay, s, port, true);
    }
  }
  return hub;
}

// Does a token go from one controller to another, neither of them the host?
bool between_servers(const Plan& plan, const EdgePlan& edge) {
  const std::uint32_t from = plan.stages[edge.from_stage].controller, to = plan.stages[edge.to_stage].controller;
  return from != to && from != kHostController && to != kHostController;
}

// The caller of a fused call holds nothing back: the stage matches, and each of its ports has a relay of its own, for
// what comes from other controllers. What the relay passes on it never keeps: a held token is one that it passes once,
// elements of a scatter go through it one by one. Their number is no result: it goes straight to the stage.
Plan to_fused(const Plan& plan) {
  Plan fused = plan;
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    for (std::uint32_t port = 0; port < stage.inputs.size(); ++port) {
      const auto relay = static_cast<std::uint32_t>(fused.stages.size());
      EdgePlan call = call_edge(relay, 0, s, port);
      for (std::size_t e = 0; e < plan.edges.size(); ++e) {
        const EdgePlan& edge = plan.edges[e];
        if (edge.to_stage == s && edge.to_port == port && !edge.count && between_servers(plan, edge))
          lead(fused.edges[e], relay, 0, call);
      }
      if (call.blocks == 0) continue;
      InputPortPlan input = stage.inputs[port];
      input.hold = false, input.hold_mask = 0;
      input.optional = input.optional || input.gather != 0;  // elements may be absent
      input.gather = input.index_shift = input.index_bits = 0;
      const std::string suffix = "." + input.name + ".call";
      fused.stages.push_back(relay_of(stage, {std::move(input)}, suffix));
      fused.edges.push_back(call);
    }
  }
  return fused;
}

// Of another call model it says nothing.
Plan keep_certificate(Plan plan) {
  if (plan.certificate && plan.certificate->goal.model != plan.model) plan.certificate.reset();
  return plan;
}

std::string list_of_models() {
  std::string list;
  for (const std::string_view name : kCallModels) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace

Result<Plan> rewrite(const Plan& plan, std::string_view model) {
  if (plan.model == model) return keep_certificate(plan);
  if (std::find(std::begin(kCallModels), std::end(kCallModels), model) == std::end(kCallModels)) {
    return {Code::kNotFound,
            "call model '" + std::string(model) + "' does not exist; choose one of " + list_of_models()};
  }
  if (plan.model != "woa") {
    return {Code::kInvalid, "the plan was compiled for call model '" + plan.model + "' and cannot be turned into '" +
                                std::string(model) + "'; compile the graph again with --model " + std::string(model)};
  }
  Plan calls = model == "rpc-hub" ? to_hub(plan) : to_fused(plan);
  calls.model = model;
  calls = keep_certificate(std::move(calls));
  if (Status status = validate(calls); !status.ok()) return status.with_context("as " + std::string(model));
  return calls;
}

}  // namespace woa
