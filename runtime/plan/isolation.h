// Isolated stages: their kernels run in processes of their own, so that one that crashes or hangs ends alone.
//
// A firing that is run again needs its inputs and its state as they were. So an isolated stage writes nothing in place,
// and a state is copied to the process and back: it holds no pointers, and kernel.yaml says its size.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/status.h"
#include "runtime/plan/plan.h"

namespace woa {

// Why a stage on a cpu controller cannot be isolated, and what to do; empty if it can. `of_program`: the program has
// the kernel's functions. `state_bytes`: as in StagePlan.
std::string why_not_isolated(const std::string& kernel, bool of_program, Stateful stateful, std::uint64_t state_bytes);

// Isolates every stage on a cpu controller, each firing limited to `limit_ns` where the stage has no limit of its own;
// 0: none. kUnsupported names the first stage that cannot be isolated, and what to do.
Status isolate_all(Plan& plan, std::uint64_t limit_ns = 0);

// Isolates a stage with a kernel of the program, which worker processes can have.
void isolate_program_kernel(StagePlan& stage);

}  // namespace woa
