#include "runtime/node/activity_reports.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/base/thread.h"
#include "runtime/node/control.h"

namespace woa {
namespace {

using Kernels = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // stage, instance

constexpr std::uint64_t kLooksPerDeadline = 8, kMostRestNs = 100'000'000, kLeastRestNs = 1'000'000;

Kernels kernels_of(std::uint32_t controller, Activity activity) {
  Kernels kernels;
  for (const RunningKernel& each : running_kernels(controller, activity))
    kernels.emplace_back(each.stage, each.instance);
  std::ranges::sort(kernels);
  return kernels;
}

// Reports kernels that two checks in a row found running.
void report(const std::stop_token& stop, ControlSocket& socket, std::chrono::nanoseconds rest, std::uint32_t controller,
            Activity activity) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  Kernels seen, sent;
  while (!stopped.wait_for(lock, stop, rest, [&] { return stop.stop_requested(); })) {
    const Kernels now = kernels_of(controller, activity);
    Kernels lasting;
    std::ranges::set_intersection(now, seen, std::back_inserter(lasting));
    seen = now;
    if (lasting == sent) continue;
    control::Running running;
    for (const auto& [stage, instance] : lasting) running.kernels.push_back({stage, controller, instance});
    if (!socket.send(control::FromNode(std::move(running))).ok())
      return;  // the thread that listens to the host notices
    sent = std::move(lasting);
  }
}

}  // namespace

ActivityReports::ActivityReports(ControlSocket& socket, const Plan& plan, std::uint32_t controller, Activity activity) {
  if (plan.timeout_ns == 0 || activity.empty()) return;
  const std::chrono::nanoseconds rest(std::clamp(plan.timeout_ns / kLooksPerDeadline, kLeastRestNs, kMostRestNs));
  const Status status = start_thread(thread_, "reports of long kernels, which name the stage of a missed deadline",
                                     [&socket, rest, controller, activity](const std::stop_token& stop) {
                                       report(stop, socket, rest, controller, activity);
                                     });
  if (!status.ok()) log(LogLevel::kWarning, status.message());  // the run needs none of them
}

Status take_report(const control::Running& report, const Plan& plan, Activity slots) {
  if (report.kernels.size() > slots.size())
    return {Code::kDataLoss, "it says that it runs " + std::to_string(report.kernels.size()) + " kernels; at most " +
                                 std::to_string(slots.size()) + " were expected"};
  for (std::size_t k = 0; k < slots.size(); ++k) {
    slots[k].end();
    if (k >= report.kernels.size()) continue;
    const RunningKernel& kernel = report.kernels[k];
    if (kernel.stage >= plan.stages.size())
      return {Code::kDataLoss, "it says that it runs a stage that the plan does not have"};
    slots[k].begin(kernel.stage, kernel.instance);
  }
  return {};
}

}  // namespace woa
