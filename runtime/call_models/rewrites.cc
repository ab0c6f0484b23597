#include "runtime/call_models/rewrites.h"

#include <algorithm>
#include <utility>

namespace woa::call_models {

StagePlan make_relay(std::string name, std::uint32_t controller, std::vector<InputPortPlan> inputs) {
  StagePlan relay;
  relay.name = std::move(name);
  relay.role = StageRole::kRelay;
  relay.controller = controller;
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

EdgePlan edge_from(std::uint32_t stage, std::uint32_t port, std::uint32_t to_stage, std::uint32_t to_port) {
  return {stage, port, to_stage, to_port, ~std::uint64_t{0}, 0, -1, 0, 0, 0};
}

InputPortPlan input_for(const OutputPortPlan& output, const std::string& name) {
  InputPortPlan input;
  input.name = name;
  input.type = output.type;
  input.optional = output.optional;
  return input;
}

Result<std::uint32_t> free_tag_bit(const Plan& plan) {
  const auto field = [](std::uint32_t shift, std::uint32_t bits) {
    return bits == 0 ? 0 : (bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << shift;
  };
  std::uint64_t taken = 0;
  for (const LoopPlan& loop : plan.loops) taken |= field(loop.shift, loop.bits);
  for (const StagePlan& stage : plan.stages)
    for (const OutputPortPlan& port : stage.outputs) taken |= field(port.index_shift, port.index_bits);
  for (std::uint32_t bit = 64; bit-- > 0;)
    if ((taken >> bit & 1) == 0) return bit;
  return Status(Code::kUnsupported, "loops and scatters take all bits of the tag, and signals need one");
}

InputPortPlan signal_input(const std::string& name, std::uint32_t tag_bit) {
  InputPortPlan input;
  input.name = name;
  input.type.element = "bytes";
  input.gather = 1;
  input.index_shift = tag_bit;
  input.index_bits = 1;
  return input;
}

EdgePlan signal_from(std::uint32_t stage, std::uint32_t port, std::uint32_t to_stage, std::uint32_t to_port,
                     const EdgePlan& like) {
  EdgePlan edge = edge_from(stage, port, to_stage, to_port);
  edge.min_blocks = like.min_blocks;
  edge.blocks = like.blocks;
  edge.count = true;
  return edge;
}

std::uint32_t consumed_input(const StagePlan& stage) {
  const auto at = std::ranges::find_if(stage.inputs, [](const InputPortPlan& port) { return !port.hold; });
  return static_cast<std::uint32_t>(at - stage.inputs.begin());  // validate() requires one
}

}  // namespace woa::call_models
