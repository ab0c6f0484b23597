#include "runtime/controller/tag_text.h"

#include <map>
#include <utility>
#include <vector>

namespace woa {
namespace {

std::uint64_t counter_mask(std::uint32_t shift, std::uint32_t bits) {
  return ((std::uint64_t{1} << bits) - 1) << shift;
}

// The counters of the tags with which each stage fires: those that an edge begins, and those that it keeps.
std::vector<std::uint64_t> counters_by_stage(const Plan& plan) {
  std::vector<std::uint64_t> counters(plan.stages.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (const EdgePlan& edge : plan.edges) {
      const OutputPortPlan& port = plan.stages[edge.from_stage].outputs[edge.from_port];
      std::uint64_t sent = counters[edge.from_stage] & edge.keep;
      if (port.many != 0 && !edge.count) sent |= counter_mask(port.index_shift, port.index_bits);
      if (edge.loop >= 0) sent |= counter_mask(plan.loops[edge.loop].shift, plan.loops[edge.loop].bits);
      const InputPortPlan& reader = plan.stages[edge.to_stage].inputs[edge.to_port];
      if (reader.gather != 0) sent &= ~counter_mask(reader.index_shift, reader.index_bits);
      changed |= (sent & ~counters[edge.to_stage]) != 0;
      counters[edge.to_stage] |= sent;
    }
  }
  return counters;
}

}  // namespace

std::string tag_text(const Plan& plan, std::uint32_t stage, std::uint64_t tag) {
  const std::uint64_t counters = counters_by_stage(plan)[stage];
  const auto counts = [&](std::uint32_t shift, std::uint32_t bits) {
    const std::uint64_t mask = counter_mask(shift, bits);
    return bits != 0 && (counters & mask) == mask;
  };
  const auto number = [&](std::uint32_t shift, std::uint32_t bits) {
    return std::to_string((tag & counter_mask(shift, bits)) >> shift);
  };
  std::map<std::uint32_t, std::pair<std::uint32_t, const StagePlan*>> scatters;  // by shift: bits, and the first writer
  for (const StagePlan& writer : plan.stages)
    for (const OutputPortPlan& port : writer.outputs)
      if (port.many != 0 && counts(port.index_shift, port.index_bits))
        scatters.try_emplace(port.index_shift, port.index_bits, &writer);  // those of a call model share counters
  std::string text;
  for (const auto& [shift, scatter] : scatters) {
    const auto& [bits, writer] = scatter;
    text += (text.empty() ? "" : ", ") + ("element " + number(shift, bits)) +
            (scatters.size() > 1 ? " of '" + writer->name + "'" : "");
  }
  for (const LoopPlan& loop : plan.loops)
    if (counts(loop.shift, loop.bits))
      text += (text.empty() ? "" : ", ") + ("turn " + number(loop.shift, loop.bits) + " of loop '" + loop.name + "'");
  return text;
}

Status at_tag(const Plan& plan, std::uint32_t stage, std::uint64_t tag, const Status& why) {
  const std::string where = tag_text(plan, stage, tag);
  return where.empty() ? why : why.with_context(where);
}

}  // namespace woa
