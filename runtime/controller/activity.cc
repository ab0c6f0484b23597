#include "runtime/controller/activity.h"

#include <algorithm>
#include <string>
#include <utility>

namespace woa {
namespace {

constexpr std::size_t kMinFirings = 16;  // begun and not completed
// The same for workers, or two for each, of which one waits: so many that the controller need not wake for each.
constexpr std::size_t kMinOfWorkers = 64;

}  // namespace

// A device may order a firing of each instance, and the program may keep the outputs of each. Beside those of workers
// one runs in the controller's thread.
std::size_t activity_slots(const Plan& plan, std::uint32_t controller, std::uint32_t workers) noexcept {
  const ControllerPlan& of = plan.controllers[controller];
  const bool keeps = of.traits.keeps_payloads();
  std::size_t stages = 0;
  for (const StagePlan& stage : plan.stages)
    stages += keeps && stage.controller == controller && stage.role == StageRole::kKernel;
  const std::size_t window = keeps || controller == kHostController ? plan.window : 0;
  const std::size_t of_workers = workers > 1 ? std::max(kMinOfWorkers, 2 * std::size_t{workers}) + 1 : 1;
  return std::max({kMinFirings, of_workers, window, stages * window});
}

std::size_t activity_slots(const Plan& plan, std::uint32_t controller) noexcept {
  const std::uint32_t workers = plan.controllers[controller].workers;
  return activity_slots(plan, controller, workers == kAllWorkers ? kMaxWorkers : workers);
}

std::size_t activity_bytes(const Plan& plan) noexcept {
  std::size_t slots = 0;
  for (std::uint32_t c = 0; c < plan.controllers.size(); ++c) slots += activity_slots(plan, c);
  return slots * sizeof(ActivitySlot);
}

Activity activity_of(const Plan& plan, std::uint32_t controller, std::span<std::byte> memory) noexcept {
  std::size_t first = 0;
  for (std::uint32_t c = 0; c < controller; ++c) first += activity_slots(plan, c);
  return {reinterpret_cast<ActivitySlot*>(memory.data()) + first, activity_slots(plan, controller)};
}

std::vector<RunningKernel> running_kernels(std::uint32_t controller, Activity slots) {
  std::vector<RunningKernel> running;
  for (const ActivitySlot& slot : slots) {
    const std::uint32_t stage = slot.stage.load(std::memory_order_acquire);
    if (stage == ActivitySlot::kIdle) continue;
    running.push_back({stage - 1, controller, slot.instance.load(std::memory_order_relaxed)});
  }
  return running;
}

std::string to_string(const Plan& plan, std::span<const RunningKernel> running) {
  std::vector<std::pair<std::string, int>> told;  // and how many of them
  std::vector<const RunningKernel*> in_order;
  for (const RunningKernel& each : running) in_order.push_back(&each);
  std::ranges::stable_sort(in_order, {}, [](const RunningKernel* each) { return each->instance; });
  for (const RunningKernel* const at : in_order) {
    const RunningKernel& each = *at;
    if (each.stage >= plan.stages.size()) continue;  // another process writes these words
    const StagePlan& stage = plan.stages[each.stage];
    const std::string text =
        "stage '" + stage.name + "' (kernel '" + stage.kernel + "') " +
        (each.instance == RunningKernel::kLoading ? "was being loaded"
                                                  : "ran instance " + std::to_string(each.instance));
    const auto same = std::ranges::find(told, text, &std::pair<std::string, int>::first);
    if (same == told.end())
      told.emplace_back(text, 1);
    else
      ++same->second;
  }
  std::string text;
  for (const auto& [each, count] : told)
    text += (text.empty() ? "" : " and ") + each + (count > 1 ? " " + std::to_string(count) + " times at once" : "");
  return text;
}

}  // namespace woa
