// What a kernel wrote, held against what its kernel.yaml declares: every port once, an optional one perhaps not, of a
// one_of group exactly one (rule 2); sizes and dimensions within the port's type, and equal where they have one name;
// no turn beyond a loop's max (rule 3).
#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/controller/stage_program.h"
#include "woa/woa_kernel.h"

namespace woa {

[[nodiscard]] inline bool loops_allow(const OutPort& port, std::uint64_t tag) noexcept {
  for (const LoopLimit& loop : port.loops) {
    if (!loop.allows(tag)) return false;
  }
  return true;
}

// A scatter's port: the first `count` elements, no others.
[[nodiscard]] bool elements_fit(const OutPort& port, const woa_output& output) noexcept;

[[nodiscard]] inline bool one_written(const StageProgram& stage, std::span<const std::uint32_t> group,
                                      std::span<const woa_output> outputs) noexcept {
  std::uint32_t written = 0;
  for (const std::uint32_t p : group) written += outputs[p].written != 0 || stage.outputs[p].scatters ? 1U : 0U;
  return written == 1 || stage.outputs[group.front()].optional;
}

[[nodiscard]] inline bool is_kept(const Tie& tie, std::span<const woa_input> inputs,
                                  std::span<const woa_output> outputs) noexcept {
  return outputs[tie.output].written == 0 || inputs[tie.input].absent != 0 ||
         outputs[tie.output].dims[tie.output_dim] == inputs[tie.input].dims[tie.input_dim];
}

// `outputs`: by port, as the kernel left them. Asked after every firing; makes no text.
[[nodiscard, gnu::always_inline]] inline bool outputs_fit(const StageProgram& stage, std::span<const woa_input> inputs,
                                                          std::span<const woa_output> outputs,
                                                          std::uint64_t tag) noexcept {
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
  for (const Tie& tie : stage.ties) {
    if (!is_kept(tie, inputs, outputs)) return false;
  }
  return true;
}

// Why not. kBrokenContract, kTooLarge or kLoopLimit, with the port.
[[nodiscard]] Status why_unfit(const StageProgram& stage, std::span<const woa_input> inputs,
                               std::span<const woa_output> outputs, std::uint64_t tag);
// kLoopLimit: the port's edges would take a turn beyond a loop's max.
[[nodiscard]] Status check_loops(const OutPort& port, std::uint64_t tag);

}  // namespace woa
