#include "controllers/gpu/opencl/opencl_backend.h"

#include <algorithm>
#include <utility>

namespace woa {

OpenClBackend::OpenClBackend(const OpenCl& cl, OpenClDevice device, std::uint32_t lanes)
    : cl_(cl), device_(std::move(device)), lane_count_(lanes) {}

Status OpenClBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  cl_int code = CL_SUCCESS;
  context_ = {cl_.clCreateContext(nullptr, 1, &device_.id, nullptr, nullptr, &code), {cl_.clReleaseContext}};
  if (code != CL_SUCCESS) return cl_failure("clCreateContext", code);
  programs_.resize(plan.stages.size());
  std::size_t inputs = 0, outputs = 0;
  for (const LoadedStage& stage : stages) {
    Result<StageProgram> program = build_stage(cl_, context_.get(), device_.id, stage);
    if (!program.ok()) return program.status();
    programs_[stage.id] = std::move(program).value();
    inputs = std::max(inputs, stage.plan->inputs.size());
    outputs = std::max(outputs, stage.plan->outputs.size());
  }
  for (std::uint32_t i = 0; i < lane_count_; ++i) {
    OpenClLane& lane = lanes_.emplace_back(cl_, i, wakeup);
    WOA_RETURN_IF_ERROR(lane.open(context_.get(), device_.id, inputs, outputs));
  }
  return {};
}

bool OpenClBackend::start(Firing& firing) noexcept {
  const auto lane = std::find_if(lanes_.begin(), lanes_.end(), [](const OpenClLane& l) { return l.idle(); });
  if (lane == lanes_.end()) return false;
  lane->start(programs_[firing.stage], firing);
  return true;
}

std::size_t OpenClBackend::poll(std::span<Firing*> done) noexcept {
  std::size_t count = 0;
  for (OpenClLane& lane : lanes_) {
    if (count == done.size()) break;
    if (Firing* firing = lane.finish(); firing != nullptr) done[count++] = firing;
  }
  return count;
}

}  // namespace woa
