#include "controllers/gpu/opencl/opencl_backend.h"

#include <algorithm>
#include <utility>

namespace woa {

OpenClBackend::OpenClBackend(const OpenCl& cl, OpenClDevice device, std::uint32_t queues)
    : cl_(cl), device_(std::move(device)), queue_count_(queues) {}

Status OpenClBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  cl_int code = CL_SUCCESS;
  context_ = {cl_.clCreateContext(nullptr, 1, &device_.id, nullptr, nullptr, &code), {cl_.clReleaseContext}};
  if (code != CL_SUCCESS) return cl_failure("clCreateContext", code);
  programs_.resize(plan.stages.size());
  std::size_t inputs = 0, outputs = 0;
  for (const LoadedStage& stage : stages) {
    Result<DeviceProgram> program = build_stage(cl_, context_.get(), device_.id, stage);
    if (!program.ok()) return program.status();
    programs_[stage.id] = std::move(program).value();
    inputs = std::max(inputs, stage.plan->inputs.size());
    outputs = std::max(outputs, stage.plan->outputs.size());
  }
  most_running_ = std::max<std::size_t>(stages.size() * plan.window, queue_count_);
  for (std::uint32_t i = 0; i < queue_count_; ++i) {
    OpenClQueue& queue = queues_.emplace_back(cl_, i, blocks_, wakeup);
    WOA_RETURN_IF_ERROR(queue.open(context_.get(), device_.id, most_running_, inputs, outputs));
  }
  return {};
}

Status OpenClBackend::allocate(std::span<const DeviceRegion> regions) {
  return blocks_.allocate(cl_, context_.get(), regions);
}

// On the queue that has least to do.
Start OpenClBackend::start(Firing& firing) noexcept {
  const auto queue = std::ranges::min_element(queues_, {}, &OpenClQueue::running);
  if (running_ == most_running_) return Start::kBusy;
  ++running_;
  return queue->start(programs_[firing.stage], firing);
}

std::size_t OpenClBackend::poll(std::span<Firing*> done) noexcept {
  std::size_t count = 0;
  for (OpenClQueue& queue : queues_) {
    for (Firing* firing = nullptr; count < done.size() && (firing = queue.finish()) != nullptr; ++count)
      done[count] = firing;
  }
  running_ -= count;
  return count;
}

}  // namespace woa
