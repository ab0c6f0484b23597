#include "controllers/cpu/cpu_backend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/controller/activity.h"

namespace woa {
namespace {

constexpr std::string_view kVariant = find_backend("cpu")->variant;

}  // namespace

CpuBackend::CpuBackend(DeviceDescription description, std::uint32_t workers, bool guarded)
    : description_(std::move(description)), most_(workers), guarded_(guarded) {
  description_.workers = workers;
}

Status CpuBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  stages_.resize(plan.stages.size());
  for (const LoadedStage& stage : stages) {
    if (stage.plan->variant.kind != kVariant || stage.kernel == nullptr || stage.kernel->run == nullptr) {
      return {Code::kUnsupported, "stage '" + stage.plan->name + "': kernel '" + stage.plan->kernel +
                                      "' has no cpu variant to run as '" + stage.plan->variant.kind + "'"};
    }
    stages_[stage.id] = stage;
  }
  WOA_RETURN_IF_ERROR(runner_.reserve(stages, guarded_));
  if (most_ == 1 || stages.empty()) return {};
  const std::size_t room = activity_slots(plan, stages.front().plan->controller, most_) - 1;  // one runs in the call
  workers_.emplace(stages_, most_, room, guarded_, wakeup);
  return {};
}

Start CpuBackend::start(Firing& firing) noexcept {
  if (most_ > 1 && !firing.in_call) {
    const Workers::Given given = workers_->give(firing);
    if (workers_->allowed() < description_.workers)
      description_.workers = static_cast<std::uint32_t>(std::max<std::size_t>(workers_->allowed(), 1));
    if (given != Workers::Given::kNobody) return given == Workers::Given::kYes ? Start::kStarted : Start::kBusy;
    firing.activity->begin(firing.stage, firing.instance);
  }
  runner_.run(stages_[firing.stage], firing);
  return Start::kCompleted;
}

}  // namespace woa
