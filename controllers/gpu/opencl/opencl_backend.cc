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
  for (std::uint32_t i = 0; i < queue_count_; ++i) {
    OpenClQueue& queue = queues_.emplace_back(cl_, i, blocks_, wakeup);
    WOA_RETURN_IF_ERROR(queue.open(context_.get(), device_.id, inputs, outputs));
  }
  return {};
}

Status OpenClBackend::allocate(std::span<const DeviceRegion> regions) {
  return blocks_.allocate(cl_, context_.get(), regions);
}

Start OpenClBackend::start(Firing& firing) noexcept {
  const auto queue = std::find_if(queues_.begin(), queues_.end(), [](const OpenClQueue& q) { return q.idle(); });
  if (queue == queues_.end()) return Start::kBusy;
  queue->start(programs_[firing.stage], firing);
  return Start::kStarted;
}

std::size_t OpenClBackend::poll(std::span<Firing*> done) noexcept {
  std::size_t count = 0;
  for (OpenClQueue& queue : queues_) {
    if (count == done.size()) break;
    if (Firing* firing = queue.finish(); firing != nullptr) done[count++] = firing;
  }
  return count;
}

}  // namespace woa
