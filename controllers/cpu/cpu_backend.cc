#include "controllers/cpu/cpu_backend.h"

#include <string>
#include <utility>

#include "runtime/base/thread.h"

namespace woa {

CpuBackend::CpuBackend(DeviceDescription description, std::uint32_t lanes)
    : description_(std::move(description)), lanes_(lanes) {
  for (std::uint32_t i = 0; i < lanes; ++i) lanes_[i].number = i;
}

CpuBackend::~CpuBackend() {
  for (Lane& lane : lanes_) {
    if (!lane.thread.joinable()) continue;
    lane.state.wait(LaneState::kRunning);
    lane.state.store(LaneState::kStop);
    lane.state.notify_one();
  }
}

Status CpuBackend::load(const Plan& plan, std::span<const LoadedStage> stages, Doorbell wakeup) {
  wakeup_ = wakeup;
  stages_.resize(plan.stages.size());
  for (const LoadedStage& stage : stages) {
    if (stage.plan->variant.kind != "cpu" || stage.kernel == nullptr || stage.kernel->run == nullptr) {
      return {Code::kUnsupported, "stage '" + stage.plan->name + "': kernel '" + stage.plan->kernel +
                                      "' has no cpu variant to run as '" + stage.plan->variant.kind + "'"};
    }
    stages_[stage.id] = stage;
  }
  for (Lane& lane : lanes_) WOA_RETURN_IF_ERROR(lane.runner.reserve(stages));
  return lanes_.size() == 1 ? Status() : start_threads();
}

Status CpuBackend::start_threads() {
  for (Lane& lane : lanes_) {
    const std::string what =
        "starting the thread of worker " + std::to_string(lane.number) + " of " + std::to_string(lanes_.size());
    WOA_RETURN_IF_ERROR(start_thread(lane.thread, what, [this, &lane] { serve(lane); }));
  }
  return {};
}

bool CpuBackend::start(Firing& firing) noexcept {
  for (Lane& lane : lanes_) {
    if (lane.state.load(std::memory_order_relaxed) != LaneState::kIdle) continue;
    lane.firing = &firing;
    if (lanes_.size() == 1) {
      run(lane);
      lane.state.store(LaneState::kDone, std::memory_order_relaxed);
    } else {
      lane.state.store(LaneState::kRunning, std::memory_order_release);
      lane.state.notify_one();
    }
    return true;
  }
  return false;
}

std::size_t CpuBackend::poll(std::span<Firing*> done) noexcept {
  std::size_t count = 0;
  const std::size_t lanes = lanes_.size();
  for (std::size_t looked = 0; looked < lanes && count < done.size(); ++looked) {
    Lane& lane = lanes_[next_lane_];
    next_lane_ = next_lane_ + 1 == lanes ? 0 : next_lane_ + 1;
    if (lane.state.load(std::memory_order_acquire) != LaneState::kDone) continue;
    done[count++] = lane.firing;
    lane.state.store(LaneState::kIdle, std::memory_order_relaxed);
  }
  return count;
}

void CpuBackend::run(Lane& lane) noexcept {
  lane.firing->lane = lane.number;
  lane.runner.run(stages_[lane.firing->stage], *lane.firing);
}

// Runs on the lane's own thread.
void CpuBackend::serve(Lane& lane) noexcept {
  for (;;) {
    const LaneState state = lane.state.load(std::memory_order_acquire);
    if (state == LaneState::kStop) return;
    if (state != LaneState::kRunning) {
      lane.state.wait(state, std::memory_order_acquire);
      continue;
    }
    run(lane);
    lane.state.store(LaneState::kDone, std::memory_order_release);
    lane.state.notify_one();  // the destructor may wait for it
    wakeup_.ring();
  }
}

}  // namespace woa
