// rpc-hub and rpc-fused: the host passes on everything that one stage sends to another.
#include <algorithm>
#include <utility>

#include "runtime/call_models/rewrites.h"
#include "runtime/plan/index.h"

namespace woa::call_models {
namespace {

// Redirects an edge to the relay's port, and adds its blocks and limits to the edge from there to the stage.
void lead(EdgePlan& edge, std::uint32_t relay, std::uint32_t port, EdgePlan& call) {
  edge.to_stage = relay;
  edge.to_port = port;
  call.min_blocks += edge.min_blocks;
  call.blocks += edge.blocks;
  call.claimed = call.claimed || edge.claimed;
  call.inline_bytes = std::max(call.inline_bytes, edge.inline_bytes);
  if (call.lane.empty()) call.lane = edge.lane;
}

// Redirects all edges of tokens, or of counts, to a stage's port. `call`: from the relay to that port.
void lead_all(Plan& hub, const std::vector<std::uint32_t>& edges, EdgePlan call) {
  for (const std::uint32_t e : edges) lead(hub.edges[e], call.from_stage, call.from_port, call);
  call.count = hub.edges[edges.front()].count;
  hub.edges.push_back(std::move(call));
}

// Does the edge lead from one controller to another, neither of them the host?
bool between_servers(const Plan& plan, const EdgePlan& edge) {
  const std::uint32_t from = plan.stages[edge.from_stage].controller, to = plan.stages[edge.to_stage].controller;
  return from != to && from != kHostController && to != kHostController;
}

}  // namespace

Plan to_hub(const Plan& plan, std::vector<std::uint32_t>* callers) {
  Plan hub = plan;
  const PlanIndex index(plan);
  if (callers != nullptr) callers->assign(plan.stages.size(), 0);
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    if (stage.controller == kHostController) continue;
    const auto relay = static_cast<std::uint32_t>(hub.stages.size());
    if (callers != nullptr) (*callers)[s] = relay;
    hub.stages.push_back(make_relay(stage.name + ".call", kHostController, stage.inputs));
    for (std::uint32_t port = 0; port < stage.inputs.size(); ++port) {
      lead_all(hub, index.in_edges[s][port], edge_from(relay, port, s, port));
      if (stage.inputs[port].gather != 0) lead_all(hub, index.in_counts[s][port], edge_from(relay, port, s, port));
    }
  }
  return hub;
}

// The caller of a fused call holds nothing back: the stage matches. Each of its ports has a relay of its own, for
// tokens from other controllers. The relay never keeps what it passes on: a held token passes once, elements of a
// scatter pass one by one. The number of elements is no result: it goes straight to the stage.
Plan to_fused(const Plan& plan) {
  Plan fused = plan;
  const PlanIndex index(plan);
  for (std::uint32_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    for (std::uint32_t port = 0; port < stage.inputs.size(); ++port) {
      const auto relay = static_cast<std::uint32_t>(fused.stages.size());
      EdgePlan call = edge_from(relay, 0, s, port);
      for (const std::uint32_t e : index.in_edges[s][port])
        if (between_servers(plan, plan.edges[e])) lead(fused.edges[e], relay, 0, call);
      if (call.blocks == 0) continue;
      InputPortPlan input = stage.inputs[port];
      input.hold = input.renewed = false, input.hold_mask = 0;
      input.optional = input.optional || input.gather != 0;  // elements may be absent
      input.gather = input.index_shift = input.index_bits = 0;
      const std::string name = stage.name + "." + input.name + ".call";
      fused.stages.push_back(make_relay(name, kHostController, {std::move(input)}));
      fused.edges.push_back(call);
    }
  }
  return fused;
}

}  // namespace woa::call_models
