#include "tools/woa/explanation.h"

#include <algorithm>
#include <array>
#include <map>

#include "compiler/compiler.h"
#include "runtime/base/processor.h"
#include "runtime/base/quantities.h"
#include "runtime/base/text.h"
#include "runtime/node/waiting.h"
#include "runtime/packet/activation_packet.h"
#include "runtime/plan/index.h"
#include "runtime/plan/on_card.h"

namespace woa::tools {
namespace {

// Says who fills the block, and how.
std::string writing(const StagePlan& writer, const EdgeFacts& facts) {
  switch (writer.role) {
    case StageRole::kSource: return "the host writes the input into a block that the consumer reads";
    case StageRole::kRelay: return "a relay passes on the block that it was given, and nobody copies it";
    default: break;
  }
  return facts.passed_on ? "the kernel writes over its input and passes the block on, and nobody copies it"
                         : "the kernel writes into a block that the consumer reads";
}

// "fpga:0 handles packets itself", which name blocks then.
std::string who_handles_packets(const Plan& plan, const EdgeLayout& edge, const StagePlan& writer) {
  for (const std::uint32_t c : {edge.from, edge.to}) {
    if (plan.controllers[c].traits.writes_packets) return plan.controllers[c].name + " handles packets itself";
  }
  return std::string(writer.publishes == Publisher::kWorker ? "the resident worker" : "a queue") + " of " +
         plan.controllers[edge.from].name + " publishes the packets";
}

std::string reason(const Plan& plan, const EdgeLayout& layout, const EdgeFacts& facts, const StagePlan& writer) {
  if (facts.reach == Reach::kController) {
    return "one controller, no packet crosses: " + writing(writer, facts);
  }
  if (facts.needs_block) {
    return "one host, but " + who_handles_packets(plan, layout, writer) +
           ", which name blocks only: " + writing(writer, facts);
  }
  const std::string limit = "the inline limit of " + bytes_text(facts.inline_bytes);
  const std::string bound = "payload bound " + bytes_text(facts.payload_bytes);
  if (facts.inline_bytes == 0) return "one host, and the inline limit is 0: " + writing(writer, facts);
  if (facts.payload_bytes <= facts.inline_bytes) {
    return "one host, " + bound + " is within " + limit +
           ": a payload travels behind its header and is read from there";
  }
  return "one host, " + bound + " is above " + limit + ": " + writing(writer, facts) +
         "; a payload within the limit also travels behind its header and is read from there";
}

// Why an edge between two stages of a card goes by way of the host; empty: no card joins its ends.
std::string why_not_on_card(const Plan& plan, const OnCardRules& rules, std::uint32_t edge) {
  const EdgePlan& e = plan.edges[edge];
  const StagePlan &from = plan.stages[e.from_stage], &to = plan.stages[e.to_stage];
  const bool one_card = from.controller == to.controller && plan.controllers[from.controller].traits.joins;
  if (!one_card || from.role != StageRole::kKernel || to.role != StageRole::kKernel) return {};
  if (plan.model != kWoa) return "; not on-card: call model " + plan.model + " makes each stage a call of its own";
  const std::string why = rules.why_not(edge);
  return "; not on-card: " + (why.empty() ? "the plan does not join its ends" : why);
}

struct StagingTexts {
  std::string_view backend, to_device, from_device;
};
constexpr std::array<StagingTexts, 4> kStaging{{
    {"opencl", " copies the payload into a buffer of its device before the kernel runs",
     " copies the result from a buffer of its device into the block"},
    {"cuda", " copies the payload by way of pinned memory: the region exceeds what it may register",
     " copies the result by way of pinned memory: the region exceeds what it may register"},
    {"verilator", " streams header and payload from the block into the RTL model",
     " streams header and payload from the RTL model into the block"},
    {"xrt", " copies the payload into a buffer of its own: the region exceeds what it may register",
     " copies the result from a buffer of its own: the region exceeds what it may register"},
}};

void add_staging(const ControllerPlan& controller, bool to_device, std::vector<Staging>& staged) {
  for (const StagingTexts& texts : kStaging) {
    if (texts.backend != controller.backend) continue;
    staged.push_back({controller.name, controller.backend, to_device,
                      controller.name + std::string(to_device ? texts.to_device : texts.from_device)});
  }
}

// The reader of such an edge takes no payload from host memory.
bool stays_in_device(const Layout& layout, const EdgeLayout& edge) {
  return !edge.crosses() &&
         std::ranges::all_of(edge.regions, [&](std::uint16_t r) { return layout.regions[r].is_in_device(); });
}

// Bytes of one ring slot: a packet and the inline payload behind it, in the channel between two controllers.
std::uint64_t ring_place_bytes(const Layout& layout, const EdgeLayout& edge) {
  return kPacketBytes + layout.channels[edge.channel].spec.inline_bytes;
}

EdgeExplanation explain_edge(const Plan& plan, const Layout& layout, const OnCardRules& rules, std::uint32_t edge,
                             std::string_view transport) {
  const EdgePlan& e = plan.edges[edge];
  const EdgeLayout& at = layout.edges[edge];
  const StagePlan& from = plan.stages[e.from_stage];
  EdgeExplanation out;
  out.from = writer_of(plan, e);
  out.to = reader_of(plan, e);
  out.transport = at.crosses() ? transport : "local";
  if (at.crosses()) out.lane = e.lane;
  if (at.crosses()) out.publishes = to_string(from.publishes);
  out.live = e.min_blocks;
  out.used = e.blocks;
  out.least = necessary_blocks(plan, e) == e.min_blocks;
  out.claimed = e.claimed;
  if (at.crosses()) out.ring_bytes = ring_places(e, plan.window) * ring_place_bytes(layout, at);
  if (e.count) {
    out.why = is_signal(plan, e) ? "a signal of the call model, which a relay waits for: a header, no payload"
                                 : "it tells how many elements a scatter has: a header, no payload";
    return out;
  }
  const EdgeFacts facts = facts_of(plan, edge);
  out.methods = choose_methods(facts);
  out.payload_bytes = facts.payload_bytes;
  if (e.on_card) {
    out.live = out.used = 0;
    out.least = true;
    out.claimed = false;
    out.why = plan.controllers[at.from].name +
              " passes the payload from kernel to kernel by itself: no packet, no block, nobody copies it";
    return out;
  }
  out.block_bytes = from.outputs[e.from_port].type.block_bytes();
  out.memory_bytes = facts.passed_on ? 0 : e.blocks * out.block_bytes;
  out.why = reason(plan, at, facts, from) + why_not_on_card(plan, rules, edge);
  if (stays_in_device(layout, at)) {
    out.why += "; its memory is the device's, and nobody copies it";
    return out;
  }
  for (const std::uint32_t end : {e.from_stage, e.to_stage}) {
    const ControllerPlan& controller = plan.controllers[plan.stages[end].controller];
    if (controller.traits.registers == 0 || is_staged(plan, layout, edge, end))
      add_staging(controller, end == e.to_stage, out.staged);
  }
  return out;
}

}  // namespace

std::vector<EdgeExplanation> explain_edges(const Plan& plan, const Layout& layout, std::string_view transport) {
  const OnCardRules rules(plan);
  std::vector<EdgeExplanation> edges;
  for (std::uint32_t e = 0; e < plan.edges.size(); ++e)
    edges.push_back(explain_edge(plan, layout, rules, e, transport));
  return edges;
}

std::vector<std::string> explain_replicas(const Plan& plan) {
  std::map<std::string, std::vector<const StagePlan*>> replicas;  // by the name of their stage
  for (const StagePlan& stage : plan.stages)
    if (const std::size_t at = stage.name.rfind('['); at != std::string::npos && stage.role == StageRole::kKernel)
      replicas[stage.name.substr(0, at)].push_back(&stage);
  std::vector<std::string> sentences;
  for (const auto& [name, stages] : replicas) {
    const std::uint32_t first = stages.front()->controller;
    const ControllerPlan& on = plan.controllers[first];
    const bool together =
        std::ranges::all_of(stages, [first](const StagePlan* stage) { return stage->controller == first; });
    if (stages.size() > 1 && together && on.has_several_workers())
      sentences.push_back("the " + counted(stages.size(), "replica") + " of " + name + " are all on " + on.name +
                          ", whose workers run several firings of one stage at once: they gain nothing");
  }
  return sentences;
}

std::vector<WaitExplanation> explain_waits(const Plan& plan, const std::vector<Processors>& processors) {
  const std::size_t usable = usable_processors(), controllers = plan.controllers.size();
  const std::vector<IdleOptions> waits = default_waits(processors, controllers, usable);
  std::vector<WaitExplanation> out;
  for (std::size_t c = 0; c < controllers; ++c) {
    const Processors on = c < processors.size() ? processors[c] : Processors();
    const bool spins = waits[c].spin_ns != 0;
    const std::string crowd = counted(controllers, "controller") + ", " + counted(usable, "usable processor");
    const std::string shared =
        on.empty() ? crowd : counted(count_on(on, processors), "controller") + " on " + processors_text(on);
    out.push_back({plan.controllers[c].name, spins, spins ? "it has a core" : shared});
  }
  return out;
}

std::string methods_text(const std::vector<MethodRange>& methods) {
  std::string text;
  for (std::size_t k = 0; k < methods.size(); ++k) {
    text += (k == 0 ? "" : ", then ") + std::string(to_string(methods[k].method));
    if (k + 1 < methods.size()) text += " to " + bytes_text(methods[k].to_bytes);
  }
  return text;
}

}  // namespace woa::tools
