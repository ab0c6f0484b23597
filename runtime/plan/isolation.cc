#include "runtime/plan/isolation.h"

namespace woa {

std::string why_not_isolated(const std::string& name, bool of_program, Stateful stateful, std::uint64_t state_bytes) {
  const std::string kernel = "kernel '" + name + "' ";
  if (of_program)
    return kernel +
           "is a function of this program, which no other process has; build it as a shared library "
           "(docs/kernels.md), or do not isolate it";
  if (stateful != Stateful::kNo && state_bytes == 0)
    return kernel +
           "keeps state whose size its kernel.yaml does not say; if the state holds no pointers, add `state: "
           "BYTES` there, else do not isolate it";
  return {};
}

namespace {

void isolate(StagePlan& stage) {
  stage.isolated = true;
  for (OutputPortPlan& port : stage.outputs) port.in_place = -1;
}

}  // namespace

Status isolate_all(Plan& plan, std::uint64_t limit_ns) {
  for (StagePlan& stage : plan.stages) {
    if (stage.role != StageRole::kKernel || plan.controllers[stage.controller].kind != ControllerKind::kCpu) continue;
    const std::string why =
        why_not_isolated(stage.kernel, stage.program_kernel != 0, stage.stateful, stage.state_bytes);
    if (!why.empty()) return {Code::kUnsupported, "stage '" + stage.name + "' cannot be isolated: " + why};
    isolate(stage);
    if (stage.limit_ns == 0) stage.limit_ns = limit_ns;
  }
  return {};
}

// Each process has the functions for itself: firings in several need not wait for each other.
void isolate_program_kernel(StagePlan& stage) {
  isolate(stage);
  stage.serial = false;
}

}  // namespace woa
