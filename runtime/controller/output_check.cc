#include "runtime/controller/output_check.h"

#include <algorithm>
#include <string>

namespace woa {
namespace {

bool loops_allow(const OutPort& port, std::uint64_t tag) noexcept {
  for (const LoopLimit& loop : port.loops) {
    if (!loop.allows(tag)) return false;
  }
  return true;
}

// A scatter's port: the first `count` elements, no others.
bool elements_fit(const OutPort& port, const woa_output& output) noexcept {
  if (output.count > port.elements) return false;
  for (std::uint32_t e = 0; e < port.elements; ++e) {
    const woa_output& element = output.elements[e];
    if ((element.written != 0) != (e < output.count)) return false;
    if (element.written != 0 && !port.shape.fits(element)) return false;
  }
  return true;
}

bool one_written(const StageProgram& stage, std::span<const std::uint32_t> group,
                 std::span<const woa_output> outputs) noexcept {
  std::uint32_t written = 0;
  for (const std::uint32_t p : group) written += outputs[p].written != 0 || stage.outputs[p].scatters ? 1U : 0U;
  return written == 1 || stage.outputs[group.front()].optional;
}

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

bool outputs_fit(const StageProgram& stage, std::span<const woa_output> outputs, std::uint64_t tag) noexcept {
  const woa_output* output = outputs.data();
  for (const OutPort& port : stage.outputs) {
    const woa_output& out = *output++;
    if (port.scatters) {
      if (!elements_fit(port, out)) return false;
    } else if (out.written != 0) {
      if (!port.shape.fits(out) || !loops_allow(port, tag)) return false;
    } else if (port.optional) {  // a token goes out, if only an absent one
      if (!loops_allow(port, tag)) return false;
    } else if (!port.in_group) {
      return false;
    }
  }
  for (const auto& group : stage.groups) {
    if (!one_written(stage, group, outputs)) return false;
  }
  return true;
}

Status why_unfit(const StageProgram& stage, std::span<const woa_output> outputs, std::uint64_t tag) {
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
