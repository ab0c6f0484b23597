// Edges that stay on a card: one writer, one reader, one token each, and no way back to the chain.
#include <algorithm>
#include <set>
#include <string_view>

#include "runtime/plan/on_card.h"
#include "runtime/plan/validate.h"

namespace woa {
namespace {

// All edges of a stage's ports.
std::vector<std::uint32_t> edges_of(const std::vector<std::vector<std::uint32_t>>& ports) {
  std::vector<std::uint32_t> edges;
  for (const auto& port : ports) edges.insert(edges.end(), port.begin(), port.end());
  return edges;
}

std::string_view why_not_written(const StagePlan& stage, const OutputPortPlan& port) {
  if (stage.stateful != Stateful::kNo) return "its writer keeps state";
  if (port.one_of >= 0) return "its writer chooses between outputs";
  if (port.optional) return "its token may be absent";
  if (port.many != 0) return "its writer scatters";
  return {};
}

std::string_view why_not_read(const StagePlan& stage, const InputPortPlan& port) {
  if (stage.stateful != Stateful::kNo) return "its reader keeps state";
  if (port.hold) return "its reader holds the token";
  if (port.optional) return "its reader takes absent tokens, too";
  if (port.gather != 0) return "its reader gathers";
  const auto passes = [](const OutputPortPlan& output) { return output.in_place >= 0; };
  if (std::ranges::any_of(stage.outputs, passes)) return "its reader writes in place";
  return {};
}

}  // namespace

OnCardRules::OnCardRules(const Plan& plan)
    : plan_(plan), index_(plan), readers_(readers_by_stage(plan)), elements_(element_numbers(plan)) {}

std::string OnCardRules::why_not(std::size_t number) const {
  const EdgePlan& edge = plan_.edges[number];
  const StagePlan &from = plan_.stages[edge.from_stage], &to = plan_.stages[edge.to_stage];
  const ControllerPlan& controller = plan_.controllers[from.controller];
  if (from.role != StageRole::kKernel || to.role != StageRole::kKernel) return "only kernels are joined";
  if (from.controller != to.controller)
    return "its ends are on " + controller.name + " and " + plan_.controllers[to.controller].name;
  if (!controller.traits.joins) return "the back-end of " + controller.name + " joins no stages";
  if (edge.count) return "it carries a count";
  if (edge.loop != -1 || edge.step != 0) return "it takes a loop";
  if (edge.choice.replicas != 1) return "its writer chooses between replicas";
  if (const auto why = why_not_written(from, from.outputs[edge.from_port]); !why.empty()) return std::string(why);
  if (const auto why = why_not_read(to, to.inputs[edge.to_port]); !why.empty()) return std::string(why);
  if (edges_of(index_.all_out[edge.from_stage]).size() != 1) return "its writer has other readers";
  if (edges_of(index_.all_in[edge.to_stage]).size() != 1) return "its reader has other writers";
  if (elements_[edge.from_stage] != 0) return "it lies in a scatter";
  if (leads_back(edge)) return "it lies in a loop";
  return why_not_in_chain(number);
}

std::string OnCardRules::why_not_in_chain(std::size_t number) const {
  const std::vector<std::uint32_t> chain = chain_of(number);
  if (chain.size() > kMaxJoined) return "its chain would have more than " + std::to_string(kMaxJoined) + " stages";
  std::set<std::string_view> cores;
  for (const std::uint32_t stage : chain) {
    const std::string& core = plan_.stages[stage].variant.core;
    if (core.empty()) return "the kernel of stage '" + plan_.stages[stage].name + "' names no core";
    if (!cores.insert(core).second) return "two stages of its chain use core '" + core + "'";
  }
  return {};
}

// The stages of the edge's chain, first to last.
std::vector<std::uint32_t> OnCardRules::chain_of(std::size_t number) const {
  std::vector<std::uint32_t> chain{plan_.edges[number].from_stage, plan_.edges[number].to_stage};
  const auto joined = [&](const std::vector<std::uint32_t>& edges) {
    return edges.size() == 1 && plan_.edges[edges.front()].on_card && chain.size() < plan_.stages.size();
  };
  for (auto in = edges_of(index_.all_in[chain.front()]); joined(in); in = edges_of(index_.all_in[chain.front()]))
    chain.insert(chain.begin(), plan_.edges[in.front()].from_stage);
  for (auto out = edges_of(index_.all_out[chain.back()]); joined(out); out = edges_of(index_.all_out[chain.back()]))
    chain.push_back(plan_.edges[out.front()].to_stage);
  return chain;
}

// A firing of the chain claims the blocks of the last stage while it has those of the first. In a loop these may be the
// same, and b(e) does not count both.
bool OnCardRules::leads_back(const EdgePlan& edge) const {
  std::vector<bool> seen(plan_.stages.size());
  std::vector<std::uint32_t> open{edge.to_stage};
  while (!open.empty()) {
    const std::uint32_t stage = open.back();
    open.pop_back();
    if (stage == edge.from_stage) return true;
    if (seen[stage]) continue;
    seen[stage] = true;
    open.insert(open.end(), readers_[stage].begin(), readers_[stage].end());
  }
  return false;
}

namespace validation {

Status validate_on_card(const Plan& plan) {
  if (std::ranges::none_of(plan.edges, &EdgePlan::on_card)) return {};
  const OnCardRules rules(plan);
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (!plan.edges[e].on_card) continue;
    const std::string why = rules.why_not(e);
    if (!why.empty()) return broken(name_of_edge(plan, plan.edges[e]), ": it cannot stay on a card, since ", why);
  }
  return {};
}

}  // namespace validation

}  // namespace woa
