#include "controllers/cpu/kernel_runner.h"

#include <algorithm>
#include <new>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/controller/kernel_call.h"

namespace woa {
namespace {

constexpr std::align_val_t kAlignment{kPayloadAlignment};

}  // namespace

void KernelRunner::Release::operator()(std::uint8_t* memory) const noexcept { ::operator delete(memory, kAlignment); }

Status KernelRunner::reserve(std::span<const LoadedStage> stages) {
  std::size_t inputs = 0, outputs = 0, gathered = 0, scattered = 0;
  std::uint64_t scratch = 0;
  for (const LoadedStage& stage : stages) {
    inputs = std::max(inputs, stage.plan->inputs.size());
    outputs = std::max(outputs, stage.plan->outputs.size());
    scratch = std::max(scratch, stage.plan->scratch_bytes);
    std::size_t in = 0, out = 0;
    for (const InputPortPlan& port : stage.plan->inputs) in += port.gather;
    for (const OutputPortPlan& port : stage.plan->outputs) out += port.many;
    gathered = std::max(gathered, in);
    scattered = std::max(scattered, out);
  }
  inputs_.resize(inputs);
  outputs_.resize(outputs);
  gathered_.resize(gathered);
  scattered_.resize(scattered);
  if (scratch == 0) return {};
  scratch_.reset(static_cast<std::uint8_t*>(::operator new(scratch, kAlignment, std::nothrow)));
  if (scratch_ != nullptr) return {};
  return {Code::kExhausted,
          "no memory for " + std::to_string(scratch) + " bytes of scratch; lower `scratch` or `workers`"};
}

void KernelRunner::run(const LoadedStage& stage, Firing& firing) noexcept {
  const Status status = run_kernel(stage, firing);
  firing.code = status.code();
  if (!status.ok()) firing.message.assign(status.message());
}

Status KernelRunner::run_kernel(const LoadedStage& stage, Firing& firing) noexcept {
  const StagePlan& plan = *stage.plan;
  firing.started_ns = firing.ended_ns = firing.timed ? now_ns() : 0;
  WOA_RETURN_IF_ERROR(show_inputs(plan, firing));
  show_outputs(plan, firing);
  const woa_firing context{.instance = firing.instance,
                           .tag = firing.tag,
                           .state = firing.state,
                           .scratch = plan.scratch_bytes == 0 ? nullptr : scratch_.get(),
                           .scratch_bytes = plan.scratch_bytes};
  Status status = call_kernel("run", [&](woa_error& error) {
    return stage.kernel->run(stage.self, &context, inputs_.data(), outputs_.data(), &error);
  });
  if (firing.timed) firing.ended_ns = now_ns();
  return status.ok() ? take_outputs(plan, firing) : status;
}

Status KernelRunner::show_inputs(const StagePlan& plan, const Firing& firing) noexcept {
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.inputs[i].gather == 0) {
      WOA_RETURN_IF_ERROR(to_kernel_input(plan.inputs[i], firing.inputs[i], inputs_[i]));
      continue;
    }
    inputs_[i] = {};
    inputs_[i].elements = gathered_.data() + next;
    for (const FiringInput& element : firing.inputs[i].elements) {
      WOA_RETURN_IF_ERROR(to_kernel_input(plan.inputs[i], element, gathered_[next++]));
      ++inputs_[i].count;
    }
  }
  return {};
}

void KernelRunner::show_outputs(const StagePlan& plan, const Firing& firing) noexcept {
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const PortType& type = plan.outputs[i].type;
    if (plan.outputs[i].many == 0) {
      to_kernel_output(type, firing.outputs[i].block, outputs_[i]);
      continue;
    }
    outputs_[i] = {};
    outputs_[i].elements = scattered_.data() + next;
    for (const FiringOutput& element : firing.outputs[i].elements)
      to_kernel_output(type, element.block, scattered_[next++]);
  }
}

// The controller checks that the kernel wrote what it declares.
Status KernelRunner::take_outputs(const StagePlan& plan, Firing& firing) noexcept {
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    firing.outputs[i].count = outputs_[i].count;
    if (plan.outputs[i].many == 0) WOA_RETURN_IF_ERROR(finish_output(plan.outputs[i], outputs_[i], firing.outputs[i]));
    for (FiringOutput& element : firing.outputs[i].elements)
      WOA_RETURN_IF_ERROR(finish_output(plan.outputs[i], scattered_[next++], element));
  }
  return {};
}

}  // namespace woa
