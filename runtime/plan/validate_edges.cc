#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/plan/index.h"
#include "runtime/plan/validate.h"

namespace woa::validation {
namespace {

constexpr std::uint64_t kMaxWaiting = 1ULL << 23;  // tokens that a controller makes room for
// Payloads behind headers: their places in all rings, or those of one controller's waiting tokens.
constexpr std::uint64_t kMaxInlineMemory = 1ULL << 30;

Status check_loops(const Plan& plan) {
  WOA_RETURN_IF_ERROR(check_names(plan.loops, "loops"));
  for (const LoopPlan& loop : plan.loops) {
    const std::string place = "loop " + in_quotes(loop.name);
    if (!in_tag(loop.shift, loop.bits)) {
      return broken(place, ": its counter must have 1 to 32 bits inside the 64 of the tag");
    }
    if (loop.bits < 32 && (loop.max >> loop.bits) != 0) {
      return broken(place, ": max ", std::to_string(loop.max), " does not fit ", std::to_string(loop.bits), " bits");
    }
  }
  return {};
}

// An edge that takes a loop must keep the loop's counter and add one to it; other edges must add nothing.
Status check_tag(const Plan& plan, const EdgePlan& edge, const std::string& place) {
  if (edge.loop == -1) return edge.step == 0 ? Status() : broken(place, ": a step without a loop");
  if (edge.loop < -1 || static_cast<std::size_t>(edge.loop) >= plan.loops.size()) {
    return broken(place, ": loop ", std::to_string(edge.loop), " does not exist");
  }
  const LoopPlan& loop = plan.loops[static_cast<std::size_t>(edge.loop)];
  const std::uint64_t field = ((1ULL << loop.bits) - 1) << loop.shift;
  if (edge.step != 1ULL << loop.shift || (edge.keep & field) != field) {
    return broken(place, ": it must keep the counter of loop ", in_quotes(loop.name), " and add one to it");
  }
  return {};
}

// A device that writes its own packets sends each to all edges; a relay chooses only for elements that it gathered.
Status check_replica(const Plan& plan, const EdgePlan& edge, const std::string& place) {
  const ReplicaChoice& choice = edge.choice;
  if (choice.replicas < 1 || choice.replicas > kMaxReplicas || choice.replica >= choice.replicas)
    return broken(place, ": replica ", std::to_string(choice.replica), " of ", std::to_string(choice.replicas),
                  " does not exist; at most ", std::to_string(kMaxReplicas));
  if (choice.bits == 0 ? choice.shift != 0 : !in_tag(choice.shift, choice.bits))
    return broken(place, ": replicas are chosen by the instance or by a field of the tag");
  const StagePlan& from = plan.stages[edge.from_stage];
  if (choice.replicas == 1 || edge.count) return {};  // counts are the controller's own packets
  const bool passes = from.role == StageRole::kRelay && from.outputs[edge.from_port].many == 0;
  if (passes || from.headers == HeaderWriter::kDevice)
    return broken(place,
                  ": neither a relay of single tokens nor a device that writes its packets chooses among replicas");
  return {};
}

// Checks that the tokens of an output fit an input.
Status check_ends(const Plan& plan, const EdgePlan& e, const std::string& place) {
  const OutputPortPlan& from = plan.stages[e.from_stage].outputs[e.from_port];
  const InputPortPlan& to = plan.stages[e.to_stage].inputs[e.to_port];
  // A dimension fixed at one end only would lay the payload out differently; the compiler gives both ends one type.
  if (!same_layout(from.type, to.type))
    return broken(place, ": its ends differ in type: ", to_string(from.type), " and ", to_string(to.type));
  if (from.optional && !to.optional && to.gather == 0)
    return broken(place, ": its tokens may be absent, but its destination is not optional");
  const std::uint32_t shares = e.choice.bits != 0 ? e.choice.replicas : 1;  // an instance's elements go to one replica
  if (e.min_blocks < (from.many + shares - 1) / shares)
    return broken(place, ": ", std::to_string(e.min_blocks), " blocks do not hold the elements of one firing");
  return {};
}

// A scatter's count goes to the input that gathers the elements; that of any other output is a signal, to a relay.
Status check_count(const Plan& plan, const EdgePlan& e, const std::string& place) {
  const OutputPortPlan& from = plan.stages[e.from_stage].outputs[e.from_port];
  const InputPortPlan& to = plan.stages[e.to_stage].inputs[e.to_port];
  if (from.many == 0 && to.gather == 1 && plan.stages[e.to_stage].role == StageRole::kRelay) return {};
  if (from.many == 0 || to.gather != from.many || from.index_shift != to.index_shift ||
      from.index_bits != to.index_bits)
    return broken(place, ": a count goes from a scatter to the input that gathers as many elements");
  return e.loop == -1 || plan.stages[e.from_stage].role == StageRole::kRelay
             ? Status()
             : broken(place, ": a scatter's count takes no loop");
}

Status check_edge(const Plan& plan, std::size_t id) {
  const EdgePlan& e = plan.edges[id];
  const std::string number = "edge " + std::to_string(id);
  if (e.from_stage >= plan.stages.size() || e.from_port >= plan.stages[e.from_stage].outputs.size()) {
    return broken(number, ": its origin is not an output port");
  }
  if (e.to_stage >= plan.stages.size() || e.to_port >= plan.stages[e.to_stage].inputs.size()) {
    return broken(number, ": its destination is not an input port");
  }
  const std::string place = name_of_edge(plan, e);
  WOA_RETURN_IF_ERROR(check_replica(plan, e, place));
  WOA_RETURN_IF_ERROR(e.count ? check_count(plan, e, place) : check_ends(plan, e, place));
  if (e.min_blocks < 1 || e.blocks < e.min_blocks) return broken(place, ": expected blocks >= min_blocks >= 1");
  if (e.inline_bytes > kMaxInlineBytes)
    return broken(place, ": inline_bytes is ", std::to_string(e.inline_bytes), ", at most ",
                  std::to_string(kMaxInlineBytes));
  if (e.lane.size() > kMaxLaneBytes)
    return broken(place, ": the name of its lane has ", std::to_string(e.lane.size()), " bytes, at most ",
                  std::to_string(kMaxLaneBytes));
  return check_tag(plan, e, place);
}

// Bytes that a token of the edge may take behind its header, in whole lines.
std::uint64_t inline_place_bytes(const Plan& plan, const EdgePlan& e) {
  const PortType& type = plan.stages[e.from_stage].outputs[e.from_port].type;
  return in_whole_lines(std::min<std::uint64_t>(e.inline_bytes, type.payload_bytes()));
}

Status too_much_inline(const std::string& place, std::uint64_t places, std::uint64_t place_bytes) {
  return broken(place, " would keep ", std::to_string(places), " places of ", std::to_string(place_bytes),
                " bytes for payloads behind headers, more than 1 GiB; lower inline_bytes of the edges, or the window");
}

Status check_edges(const Plan& plan) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, bool>> seen;
  std::uint64_t slots = 0, place_bytes = 0;
  for (std::size_t id = 0; id < plan.edges.size(); ++id) {
    WOA_RETURN_IF_ERROR(check_edge(plan, id));
    const EdgePlan& e = plan.edges[id];
    if (!seen.insert({e.from_stage, e.from_port, e.to_stage, e.to_port, e.count}).second) {
      return broken(name_of_edge(plan, e), ": there is another edge between the same ports");
    }
    slots += std::uint64_t{e.blocks} + plan.window;
    place_bytes = std::max(place_bytes, inline_place_bytes(plan, e));
  }
  if (slots > kMaxSlots) {
    return broken("blocks and window need ", std::to_string(slots), " ring slots, at most ", std::to_string(kMaxSlots),
                  "; lower the window");
  }
  if (slots * place_bytes > kMaxInlineMemory) return too_much_inline("header rings", slots, place_bytes);
  return {};
}

// A controller keeps room for as many matches as it can get tokens, each with the ports of its widest stage.
Status check_matches(const Plan& plan) {
  std::vector<std::uint64_t> tokens(plan.controllers.size(), plan.window), ports(plan.controllers.size(), 1);
  std::vector<std::uint64_t> place_bytes(plan.controllers.size(), 0);
  for (const EdgePlan& e : plan.edges) {
    const std::uint32_t c = plan.stages[e.to_stage].controller;
    tokens[c] += e.blocks;
    place_bytes[c] = std::max(place_bytes[c], inline_place_bytes(plan, e));
  }
  for (const StagePlan& stage : plan.stages)
    ports[stage.controller] = std::max<std::uint64_t>(ports[stage.controller], stage.inputs.size());
  for (std::size_t c = 0; c < plan.controllers.size(); ++c) {
    if (tokens[c] > kMaxWaiting / ports[c]) {
      return broken("controller ", in_quotes(plan.controllers[c].name), " would need room for ",
                    std::to_string(tokens[c]), " matches of ", std::to_string(ports[c]),
                    " inputs; lower the window, or give the wide stage a "
                    "controller of its own");
    }
    if (tokens[c] * ports[c] * place_bytes[c] > kMaxInlineMemory)
      return too_much_inline("controller " + in_quotes(plan.controllers[c].name), tokens[c] * ports[c], place_bytes[c]);
  }
  return {};
}

// `edges`: of its tokens. `signal`: the output of a relay whose input of the same number gets counts alone. It must
// have no edge.
Status check_output(const Plan& plan, const StagePlan& stage, const OutputPortPlan& port,
                    const std::vector<std::uint32_t>& edges, bool signal) {
  const std::string place = "stage " + in_quotes(stage.name) + ", output " + in_quotes(port.name);
  if (edges.empty() && !signal) return broken(place, ": no edge");
  if (!edges.empty() && signal) return broken(place, ": no token comes that it could pass on");
  if (stage.role == StageRole::kRelay) return {};  // it passes on the blocks of others
  std::uint64_t blocks = 0;
  for (const std::uint32_t e : edges) blocks += plan.edges[e].blocks;
  if (blocks <= (kMaxRegionBytes - 1) / port.type.block_bytes()) return {};
  return broken(place, ": ", std::to_string(blocks), " blocks of ", std::to_string(port.type.block_bytes()),
                " bytes exceed 256 GiB");
}

// Checks that no port is unconnected, and that the blocks of an output fit a region.
Status check_connections(const Plan& plan, const PlanIndex& index) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const StagePlan& stage = plan.stages[s];
    const auto &tokens = index.in_edges[s], &counts = index.in_counts[s];
    const auto is_signal = [&](std::size_t p) {
      return stage.role == StageRole::kRelay && !counts[p].empty() && tokens[p].empty();
    };
    for (std::size_t p = 0; p < stage.inputs.size(); ++p) {
      const InputPortPlan& port = stage.inputs[p];
      if (tokens[p].empty() && !is_signal(p))
        return broken("stage ", in_quotes(stage.name), ", input ", in_quotes(port.name), ": no edge");
      if (counts[p].empty() != (port.gather == 0))
        return broken("stage ", in_quotes(stage.name), ", input ", in_quotes(port.name),
                      ": an input that gathers is told the number of elements, and no other");
    }
    for (std::size_t p = 0; p < stage.outputs.size(); ++p)
      WOA_RETURN_IF_ERROR(check_output(plan, stage, stage.outputs[p], index.out_edges[s][p], is_signal(p)));
  }
  return {};
}

// A backward search finds the output whose payloads a relay passes on. So a path through relays is unique and of
// bounded length, and several writers of one relay, `edges` to one of its inputs, pass on different outputs.
Status check_relayed(const Plan& plan, const PlanIndex& index, const std::vector<std::uint32_t>& edges) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> outputs;
  for (const std::uint32_t e : edges) {
    const EdgePlan* first = &plan.edges[e];
    const auto refuse = [&](const std::string& why) { return broken(name_of_edge(plan, plan.edges[e]), ": ", why); };
    for (std::size_t passed = 1; plan.stages[first->from_stage].role == StageRole::kRelay; ++passed) {
      if (passed == kMaxPassed)
        return refuse("its token has passed through " + std::to_string(kMaxPassed) + " relays already");
      const auto& before = index.in_edges[first->from_stage][first->from_port];
      if (before.size() > 1 && edges.size() > 1) return refuse("of several writers a relay has one itself");
      first = &plan.edges[before.front()];
    }
    if (!outputs.emplace(first->from_stage, first->from_port).second)
      return refuse("two relays pass on what one output wrote");
  }
  return {};
}

Status check_relays(const Plan& plan, const PlanIndex& index) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (plan.stages[s].role == StageRole::kRelay)
      for (const auto& edges : index.in_edges[s]) WOA_RETURN_IF_ERROR(check_relayed(plan, index, edges));
  return {};
}

// Edges that take no loop must not form a cycle: its stages would never end.
Status check_cycles(const Plan& plan) {
  std::vector<bool> ends(plan.stages.size());
  for (const std::uint32_t stage : stages_in_order(plan)) ends[stage] = true;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (!ends[s])
      return broken("stage ", in_quotes(plan.stages[s].name), ": it lies on or behind a cycle without a loop edge");
  }
  return {};
}

}  // namespace

Status validate_edges(const Plan& plan) {
  WOA_RETURN_IF_ERROR(check_loops(plan));
  WOA_RETURN_IF_ERROR(check_edges(plan));
  const PlanIndex index(plan);
  WOA_RETURN_IF_ERROR(check_connections(plan, index));
  WOA_RETURN_IF_ERROR(check_relays(plan, index));
  WOA_RETURN_IF_ERROR(check_matches(plan));
  return check_cycles(plan);
}

}  // namespace woa::validation
