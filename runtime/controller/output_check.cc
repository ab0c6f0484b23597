#include "runtime/controller/output_check.h"

#include <algorithm>
#include <string>

namespace woa {
namespace {

Status why_elements_unfit(const OutPort& port, const woa_output& output) {
  const std::string& name = port.plan->name;
  if (output.count > port.elements)
    return {Code::kBrokenContract, "the kernel wrote " + std::to_string(output.count) + " elements to output '" + name +
                                       "'; at most " + std::to_string(port.elements) + " were expected"};
  for (std::uint32_t e = 0; e < port.elements; ++e) {
    const woa_output& element = output.elements[e];
    const bool written = element.written != 0;
    if (written && !port.shape.fits(element)) return port.shape.why_unfit(name, element);
    if (written == (e < output.count)) continue;
    return {Code::kBrokenContract, "the kernel counts " + std::to_string(output.count) + " elements of output '" +
                                       name + "', but element " + std::to_string(e) +
                                       (written ? " is written, too" : " is not written")};
  }
  return {};
}

}  // namespace

bool elements_fit(const OutPort& port, const woa_output& output) noexcept {
  if (output.count > port.elements) return false;
  for (std::uint32_t e = 0; e < port.elements; ++e) {
    const woa_output& element = output.elements[e];
    if ((element.written != 0) != (e < output.count)) return false;
    if (element.written != 0 && !port.shape.fits(element)) return false;
  }
  return true;
}

Status why_unfit(const StageProgram& stage, std::span<const woa_input> inputs, std::span<const woa_output> outputs,
                 std::uint64_t tag) {
  for (std::uint32_t p = 0; p < outputs.size(); ++p) {
    const OutPort& port = stage.outputs[p];
    if (port.scatters) {
      WOA_RETURN_IF_ERROR(why_elements_unfit(port, outputs[p]));
    } else if (outputs[p].written != 0 && !port.shape.fits(outputs[p])) {
      return port.shape.why_unfit(port.plan->name, outputs[p]);
    }
  }
  for (std::uint32_t p = 0; p < outputs.size(); ++p) {
    const OutPort& port = stage.outputs[p];
    if (port.scatters) continue;
    if (outputs[p].written != 0 || port.optional) WOA_RETURN_IF_ERROR(check_loops(port, tag));
    if (outputs[p].written == 0 && !port.optional && !port.in_group)
      return {Code::kBrokenContract, "the kernel did not write output '" + port.plan->name + "'"};
  }
  for (const auto& group : stage.groups) {
    if (one_written(stage, group, outputs)) continue;
    const auto written = std::count_if(group.begin(), group.end(), [&](auto p) { return outputs[p].written != 0; });
    return {Code::kBrokenContract, "the kernel wrote " + std::to_string(written) + " ports of the one_of group of '" +
                                       stage.outputs[group.front()].plan->name + "'; exactly one was expected"};
  }
  for (const Tie& tie : stage.ties) {
    if (is_kept(tie, inputs, outputs)) continue;
    const OutputPortPlan& output = *stage.outputs[tie.output].plan;
    const std::string& dimension = output.type.dims[tie.output_dim].name;
    return {Code::kBrokenContract,
            "the kernel wrote output '" + output.name + "' with " + dimension + " = " +
                std::to_string(outputs[tie.output].dims[tie.output_dim]) + ", but input '" +
                stage.inputs[tie.input].plan->name + "' has " + dimension + " = " +
                std::to_string(inputs[tie.input].dims[tie.input_dim]) +
                "; what has one name in kernel.yaml has one size: give the output's dimension another name"};
  }
  return {};
}

Status check_loops(const OutPort& port, std::uint64_t tag) {
  for (const LoopLimit& loop : port.loops) {
    if (loop.allows(tag)) continue;
    return {Code::kLoopLimit, "loop '" + loop.loop->name + "' would take turn " + std::to_string(loop.turn(tag) + 1) +
                                  ", but its max is " + std::to_string(loop.max)};
  }
  return {};
}

}  // namespace woa
