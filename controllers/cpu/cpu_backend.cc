#include "controllers/cpu/cpu_backend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/controller/activity.h"

namespace woa {
namespace {

constexpr std::string_view kVariant = find_backend("cpu")->variant;

}  // namespace

CpuBackend::CpuBackend(DeviceDescription description, std::uint32_t workers, CpuOptions options)
    : description_(std::move(description)), most_(workers), options_(std::move(options)) {
  description_.workers = workers;
}

CpuBackend::~CpuBackend() {
  if (isolation_) isolation_->stop();
}

Status CpuBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  stages_.resize(plan.stages.size());
  for (const LoadedStage& stage : stages) {
    const bool runs = stage.plan->isolated || (stage.kernel != nullptr && stage.kernel->run != nullptr);
    if (stage.plan->variant.kind != kVariant || !runs) {
      return {Code::kUnsupported, "stage '" + stage.plan->name + "': kernel '" + stage.plan->kernel +
                                      "' has no cpu variant to run as '" + stage.plan->variant.kind + "'"};
    }
    stages_[stage.id] = stage;
  }
  const auto is_isolated = [](const LoadedStage& stage) { return stage.plan->isolated; };
  if (std::ranges::any_of(stages, is_isolated)) isolation_.emplace(options_.worker, plan, stages, most_);
  Isolation* const isolation = isolation_ ? &*isolation_ : nullptr;
  WOA_RETURN_IF_ERROR(runner_.reserve(stages, options_.guarded, isolation));
  if (stages.empty() || (most_ == 1 && !isolation_)) return {};
  const std::size_t room = activity_slots(plan, stages.front().plan->controller, most_) - 1;  // one runs in the call
  workers_.emplace(stages_, most_, room, options_.guarded, isolation, wakeup);
  return {};
}

Result<RegionNumbers> CpuBackend::map(std::span<const BackendMapping> mappings) {
  if (isolation_) WOA_RETURN_IF_ERROR(isolation_->begin(mappings));
  return RegionNumbers();
}

Start CpuBackend::start(Firing& firing) noexcept {
  // A single worker has the firings of isolated stages alone.
  if (workers_ && !firing.in_call && (most_ > 1 || stages_[firing.stage].plan->isolated)) {
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
