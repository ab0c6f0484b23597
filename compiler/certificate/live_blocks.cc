#include "compiler/certificate/live_blocks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace woa {
namespace {

std::uint64_t field(std::uint32_t shift, std::uint32_t bits) { return ((1ULL << bits) - 1) << shift; }

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return a == 0 || b <= TokenFlow::kMany / a ? a * b : TokenFlow::kMany;
}

// Adds the numbers of `from` that are missing; returns whether any were.
bool merge(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  if (std::includes(into.begin(), into.end(), from.begin(), from.end())) return false;
  std::vector<std::uint32_t> all;
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(all));
  into = std::move(all);
  return true;
}

}  // namespace

TokenFlow::TokenFlow(const Plan& plan) : plan_(plan), index_(plan) {
  for (const LoopPlan& loop : plan.loops)
    all_counters_.push_back({field(loop.shift, loop.bits), std::uint64_t{loop.max} + 1});
  for (const StagePlan& stage : plan.stages) {
    std::vector<std::uint32_t>& numbers = counter_of_output_.emplace_back();
    for (const OutputPortPlan& port : stage.outputs) {
      numbers.push_back(static_cast<std::uint32_t>(all_counters_.size()));
      if (port.many != 0) all_counters_.push_back({field(port.index_shift, port.index_bits), port.many});
    }
  }
  find_counters();
}

// Counters in the tag of a sent token: those that the edge keeps, and those that it begins.
std::vector<std::uint32_t> TokenFlow::sent_counters(std::uint32_t e) const {
  const EdgePlan& edge = plan_.edges[e];
  std::vector<std::uint32_t> sent;
  for (const std::uint32_t c : counters_[edge.from_stage])
    if ((all_counters_[c].field & edge.keep) != 0) sent.push_back(c);
  if (edge.loop >= 0) merge(sent, {static_cast<std::uint32_t>(edge.loop)});
  if (!edge.count && plan_.stages[edge.from_stage].outputs[edge.from_port].many != 0)
    merge(sent, {counter_of_output_[edge.from_stage][edge.from_port]});
  return sent;
}

// Passes counters along all edges until nothing changes. Gathered elements have lost their number.
void TokenFlow::find_counters() {
  counters_.resize(plan_.stages.size());
  std::vector<std::uint32_t> changed(plan_.stages.size());
  for (std::uint32_t s = 0; s < changed.size(); ++s) changed[s] = s;
  while (!changed.empty()) {
    const std::uint32_t stage = changed.back();
    changed.pop_back();
    for (const auto& port : index_.all_out[stage]) {
      for (const std::uint32_t e : port) {
        const EdgePlan& edge = plan_.edges[e];
        const InputPortPlan& input = plan_.stages[edge.to_stage].inputs[edge.to_port];
        if (input.hold) continue;
        std::vector<std::uint32_t> sent = sent_counters(e);
        if (input.gather != 0 && !edge.count)
          std::erase_if(
              sent, [&](auto c) { return (all_counters_[c].field & field(input.index_shift, input.index_bits)) != 0; });
        if (merge(counters_[edge.to_stage], sent)) changed.push_back(edge.to_stage);
      }
    }
  }
}

// Replicas that share elements count as many each as the first gets.
std::uint64_t TokenFlow::product(const std::vector<std::uint32_t>& counters, const ReplicaChoice& choice) const {
  std::uint64_t all = 1;
  for (const std::uint32_t c : counters) {
    const auto& [bits, values] = all_counters_[c];
    const bool shared = choice.bits != 0 && bits == field(choice.shift, choice.bits);
    all = times(all, shared ? (values + choice.replicas - 1) / choice.replicas : values);
  }
  return all;
}

std::uint64_t TokenFlow::firings(std::uint32_t stage) const { return product(counters_[stage], {}); }

// A firing claims blocks for all that it may write.
std::uint64_t TokenFlow::claims(std::uint32_t e) const {
  const EdgePlan& edge = plan_.edges[e];
  const StagePlan& from = plan_.stages[edge.from_stage];
  std::vector<std::uint32_t> counters = counters_[edge.from_stage];
  if (!edge.count && from.outputs[edge.from_port].many != 0)
    merge(counters, {counter_of_output_[edge.from_stage][edge.from_port]});
  return product(counters, edge.choice);
}

std::uint64_t TokenFlow::by_tags(std::uint32_t e) const {
  const EdgePlan& edge = plan_.edges[e];
  const InputPortPlan& port = plan_.stages[edge.to_stage].inputs[edge.to_port];
  if (!port.renewed) return claims(e);
  std::vector<std::uint32_t> own = counters_[edge.from_stage];
  std::erase_if(own, [&](std::uint32_t c) { return (all_counters_[c].field & ~port.hold_mask) == 0; });
  return std::min(claims(e), times(kRenewedBlocks, product(own, edge.choice)));
}

// The least weight of a token that comes by one of these edges; 0 if there are none.
std::uint64_t TokenFlow::least(const std::vector<std::uint32_t>& edges, const Weights& weights, bool count) const {
  std::uint64_t least = kMany;
  for (const std::uint32_t e : edges)
    if (plan_.edges[e].count == count) least = std::min(least, weights[e]);
  return least == kMany ? 0 : least;
}

// The most weight of a token that goes to all of these edges, but to only one of those that choose among replicas.
std::uint64_t TokenFlow::most(const std::vector<std::uint32_t>& edges, const Weights& weights, bool count) const {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::uint64_t>> chosen;
  std::uint64_t sum = 0;
  for (const std::uint32_t e : edges) {
    const EdgePlan& edge = plan_.edges[e];
    if (edge.count != count || weights[e] == 0) continue;
    const ReplicaChoice& choice = edge.choice;
    if (choice.replicas == 1) sum += weights[e];
    if (choice.replicas > 1) chosen[{choice.replicas, choice.shift, choice.bits}][choice.replica] += weights[e];
  }
  for (const auto& [chooser, replicas] : chosen) {
    std::uint64_t largest = 0;
    for (const auto& [replica, weight] : replicas) largest = std::max(largest, weight);
    sum += largest;
  }
  return sum;
}

bool TokenFlow::is_held(std::uint32_t e) const {
  return plan_.stages[plan_.edges[e].to_stage].inputs[plan_.edges[e].to_port].hold;
}

// A stage reads a held token in each firing that agrees with it on the counters of its mask: in one firing only if the
// stage has no other counters.
bool TokenFlow::read_once(std::uint32_t stage, std::uint32_t port) const {
  const InputPortPlan& input = plan_.stages[stage].inputs[port];
  if (!input.hold) return true;
  return std::all_of(counters_[stage].begin(), counters_[stage].end(),
                     [&](std::uint32_t c) { return (all_counters_[c].field & ~input.hold_mask) == 0; });
}

std::uint64_t TokenFlow::consumed(std::uint32_t stage, const Weights& weights, bool held_count) const {
  std::uint64_t sum = 0;
  for (std::uint32_t p = 0; p < index_.all_in[stage].size(); ++p) {
    const InputPortPlan& port = plan_.stages[stage].inputs[p];
    if (port.hold && !(held_count && read_once(stage, p))) continue;
    sum += least(index_.all_in[stage][p], weights, false) * std::max(port.gather, 1U) +
           least(index_.all_in[stage][p], weights, true);
  }
  return sum;
}

std::uint64_t TokenFlow::written(std::uint32_t stage, const Weights& weights) const {
  std::uint64_t sum = 0;
  std::map<std::int32_t, std::uint64_t> groups;
  for (std::uint32_t p = 0; p < index_.all_out[stage].size(); ++p) {
    const OutputPortPlan& port = plan_.stages[stage].outputs[p];
    const std::uint64_t all = most(index_.all_out[stage][p], weights, false) * std::max(port.many, 1U) +
                              most(index_.all_out[stage][p], weights, true);
    if (port.one_of < 0) sum += all;
    if (port.one_of >= 0) groups[port.one_of] = std::max(groups[port.one_of], all);
  }
  for (const auto& [group, largest] : groups) sum += largest;
  return sum;
}

// The weight that all firings together bring from outside.
std::uint64_t TokenFlow::given(const std::vector<std::uint32_t>& edges, const Weights& weights, bool held_count) const {
  std::vector<std::uint32_t> stages;
  for (const std::uint32_t e : edges) stages.push_back(plan_.edges[e].from_stage);
  std::sort(stages.begin(), stages.end());
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  std::uint64_t sum = 0;
  for (const std::uint32_t stage : stages) {
    const std::uint64_t out = written(stage, weights), in = consumed(stage, weights, held_count);
    if (out > in) sum = std::min(kMany, sum + times(out - in, firings(stage)));
  }
  return sum;
}

std::vector<std::uint64_t> TokenFlow::bounds(const std::vector<std::uint32_t>& edges, const Weights& weights) const {
  const std::uint64_t if_held_stay = given(edges, weights, false);
  const std::uint64_t if_read = given(edges, weights, true);
  // While a stage that feeds itself fires, it occupies a block that it consumes and one that it writes.
  std::vector<std::uint64_t> most;
  for (const std::uint32_t e : edges)
    most.push_back((is_held(e) ? if_held_stay : if_read) / weights[e] *
                   (plan_.edges[e].from_stage == plan_.edges[e].to_stage ? 2U : 1U));
  return most;
}

namespace {

Status not_shown(const std::string& what) { return {Code::kInvalid, "blocks: " + what + "; compile the graph again"}; }

Status check_weights(const Plan& plan, const Invariant& invariant) {
  std::int64_t last = -1;
  for (const auto& [edge, weight] : invariant.weights) {
    if (edge >= plan.edges.size() || edge <= last) return not_shown("an invariant names edges that it cannot name");
    if (weight < 1 || weight > TokenFlow::kMaxWeight)
      return not_shown("an invariant has a weight that is not from 1 to " + std::to_string(TokenFlow::kMaxWeight));
    last = edge;
  }
  return {};
}

}  // namespace

Result<std::vector<std::uint64_t>> proved_blocks(const CertifiedPlan& plan) {
  const TokenFlow flow(plan);
  std::vector<std::uint64_t> proved;
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e) proved.push_back(flow.by_tags(e));
  TokenFlow::Weights weights(plan.edges.size());
  for (const Invariant& invariant : plan.invariants) {
    WOA_RETURN_IF_ERROR(check_weights(plan, invariant));
    std::vector<std::uint32_t> edges;
    for (const auto& [edge, weight] : invariant.weights) weights[edge] = weight, edges.push_back(edge);
    const std::vector<std::uint64_t> bounds = flow.bounds(edges, weights);
    for (std::size_t i = 0; i < edges.size(); ++i) proved[edges[i]] = std::min(proved[edges[i]], bounds[i]);
    for (const std::uint32_t e : edges) weights[e] = 0;
  }
  return proved;
}

namespace {

// How many replicas, chosen by element number, share the elements of a gather on their way from the scatter to this
// writer. 1: all elements may come from it.
std::uint32_t shares_of(const Plan& plan, std::uint32_t writer, const InputPortPlan& gather) {
  const auto numbers = [&](std::uint32_t shift, std::uint32_t bits) {
    return shift == gather.index_shift && bits == gather.index_bits;
  };
  std::uint32_t shares = 1;
  std::vector<std::uint32_t> open{writer};
  std::vector<bool> seen(plan.stages.size());
  seen[writer] = true;
  while (!open.empty()) {
    const std::uint32_t stage = open.back();
    open.pop_back();
    for (const EdgePlan& edge : plan.edges) {
      if (edge.to_stage != stage || edge.count || plan.stages[stage].inputs[edge.to_port].hold) continue;
      const OutputPortPlan& from = plan.stages[edge.from_stage].outputs[edge.from_port];
      if (edge.choice.bits != 0 && numbers(edge.choice.shift, edge.choice.bits)) {
        shares = std::max(shares, edge.choice.replicas);
      } else if (!(from.many != 0 && numbers(from.index_shift, from.index_bits)) && !seen[edge.from_stage]) {
        seen[edge.from_stage] = true;
        open.push_back(edge.from_stage);
      }
    }
  }
  return shares;
}

bool has_replicas_of_elements(const Plan& plan) {
  return std::any_of(plan.edges.begin(), plan.edges.end(), [](const EdgePlan& edge) { return edge.choice.bits != 0; });
}

}  // namespace

std::uint32_t necessary_blocks(const Plan& plan, const EdgePlan& edge) {
  const std::uint32_t scattered = plan.stages[edge.from_stage].outputs[edge.from_port].many;
  const std::uint32_t gathered = plan.stages[edge.to_stage].inputs[edge.to_port].gather;
  const std::uint32_t elements = edge.count ? 1 : std::max({scattered, gathered, 1U});
  std::uint32_t shared = edge.choice.bits == 0 ? 1 : edge.choice.replicas;
  if (gathered != 0 && !edge.count && has_replicas_of_elements(plan))
    shared = std::max(shared, shares_of(plan, edge.from_stage, plan.stages[edge.to_stage].inputs[edge.to_port]));
  return (elements + shared - 1) / shared * (edge.from_stage == edge.to_stage ? 2U : 1U);
}

Status verify_blocks(const CertifiedPlan& plan) {
  const auto proved = proved_blocks(plan);
  if (!proved.ok()) return proved.status();
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const EdgePlan& edge = plan.edges[e];
    const bool enough = edge.min_blocks >= (*proved)[e];
    if (enough && edge.claimed) return not_shown(name_of_edge(plan, edge) + " is said to be claimed, but it is proved");
    if (enough || edge.claimed) continue;
    return not_shown(name_of_edge(plan, edge) + " has " + std::to_string(edge.min_blocks) +
                     " blocks for one instance, which may need " + std::to_string((*proved)[e]));
  }
  return {};
}

}  // namespace woa
