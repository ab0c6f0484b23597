// What a kernel wrote, held against what its kernel.yaml declares: every port once, an optional one perhaps not, of a
// one_of group exactly one (rule 2); sizes and dimensions within the port's type; no turn beyond a loop's max (rule 3).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/woa_kernel.h"
#include "runtime/base/status.h"
#include "runtime/controller/stage_program.h"

namespace woa {

// `outputs`: by port, as the kernel left them. Asked after every firing; makes no text.
[[nodiscard]] bool outputs_fit(const StageProgram& stage, std::span<const woa_output> outputs,
                               std::uint64_t tag) noexcept;
// Why not. kBrokenContract, kTooLarge or kLoopLimit, with the port.
[[nodiscard]] Status why_unfit(const StageProgram& stage, std::span<const woa_output> outputs, std::uint64_t tag);
// kLoopLimit: the port's edges would take a turn beyond a loop's max.
[[nodiscard]] Status check_loops(const OutPort& port, std::uint64_t tag);

}  // namespace woa
