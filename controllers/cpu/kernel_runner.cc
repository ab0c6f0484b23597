#include "controllers/cpu/kernel_runner.h"

#include <algorithm>
#include <new>
#include <string>

#include "runtime/base/clock.h"

namespace woa {
namespace {

constexpr std::align_val_t kAlignment{kPayloadAlignment};

}  // namespace

void KernelRunner::Release::operator()(std::uint8_t* memory) const noexcept { ::operator delete(memory, kAlignment); }

Status KernelRunner::reserve(std::span<const LoadedStage> stages) {
  std::size_t inputs = 0, outputs = 0;
  std::uint64_t scratch = 0;
  for (const LoadedStage& stage : stages) {
    inputs = std::max(inputs, stage.plan->inputs.size());
    outputs = std::max(outputs, stage.plan->outputs.size());
    scratch = std::max(scratch, stage.plan->scratch_bytes);
  }
  inputs_.resize(inputs);
  outputs_.resize(outputs);
  if (scratch == 0) return {};
  scratch_.reset(static_cast<std::uint8_t*>(::operator new(scratch, kAlignment, std::nothrow)));
  if (scratch_ != nullptr) return {};
  return {Code::kExhausted,
          "no memory for " + std::to_string(scratch) + " bytes of scratch; lower `scratch` or the lanes"};
}

void KernelRunner::run(const LoadedStage& stage, Firing& firing) noexcept {
  const Status status = run_kernel(stage, firing);
  firing.code = status.code();
  if (!status.ok()) firing.message.assign(status.message());
}

Status KernelRunner::run_kernel(const LoadedStage& stage, Firing& firing) noexcept {
  const StagePlan& plan = *stage.plan;
  firing.started_ns = firing.ended_ns = firing.timed ? now_ns() : 0;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    WOA_RETURN_IF_ERROR(to_kernel_input(plan.inputs[i], firing.inputs[i], inputs_[i]));
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    to_kernel_output(plan.outputs[i].type, firing.outputs[i].block, outputs_[i]);
  }
  const woa_firing context{.instance = firing.instance,
                           .tag = firing.tag,
                           .state = firing.state,
                           .scratch = plan.scratch_bytes == 0 ? nullptr : scratch_.get(),
                           .scratch_bytes = plan.scratch_bytes};
  woa_error error;
  error.message[0] = '\0';
  const woa_status result = stage.kernel->run(stage.self, &context, inputs_.data(), outputs_.data(), &error);
  if (firing.timed) firing.ended_ns = now_ns();
  if (result != WOA_OK) {
    error.message[sizeof error.message - 1] = '\0';
    return {to_code(result), error.message};
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    WOA_RETURN_IF_ERROR(finish_output(plan.outputs[i], outputs_[i], firing.outputs[i]));
  }
  return {};
}

}  // namespace woa
