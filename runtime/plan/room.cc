#include "runtime/plan/room.h"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/plan/call_models.h"

namespace woa {
namespace {

// Instances retire in order, so a slow one holds those behind it back. With 32, workers that take log-normal times
// (sigma 1, three stages) are busy 96 % of the time; with 8 it is 65 %.
constexpr std::uint64_t kInstancesPerWorker = 32;

// A sixteenth of what a plan may have: wires between hosts and call models with more edges hold it, too.
constexpr std::uint64_t kMostRaised = kMaxSlots / 16;

// A single worker is the controller's thread, unless it runs firings in a process.
bool has_workers(const Plan& plan, std::size_t controller, std::uint32_t workers) {
  return workers != 1 || std::ranges::any_of(plan.stages, [&](const StagePlan& stage) {
           return stage.controller == controller && stage.isolated;
         });
}

// Controllers without workers keep the window that the compiler chose by the number of stages.
std::uint32_t wanted_window(const Plan& plan, const std::vector<std::uint32_t>& workers) {
  if (!plan.raises_window) return plan.window;
  std::uint64_t sum = 0, all = 0;  // controllers with all workers share the processors
  for (std::size_t c = 0; c < workers.size(); ++c) {
    if (!has_workers(plan, c, workers[c])) continue;
    if (plan.controllers[c].workers == kAllWorkers)
      all = std::max<std::uint64_t>(all, workers[c]);
    else
      sum += workers[c];
  }
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(kInstancesPerWorker * (sum + all), plan.window, std::max(plan.window, kMaxWindow)));
}

// Returns the largest window for which the header rings have no more than `most_slots`, the call model's included.
std::uint32_t most_window(const Plan& plan, std::uint32_t wanted, std::uint64_t most_slots) {
  std::uint64_t slots = 0, more = 1;
  for (const EdgePlan& edge : plan.edges) {
    slots += std::uint64_t{edge.blocks} + plan.window;
    more += std::uint64_t{edge.min_blocks} + 1;
  }
  const std::uint64_t most = most_slots / call_model(plan.model).edges;
  const std::uint64_t room = slots < most ? (most - slots) / more : 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, plan.window + room));
}

std::uint64_t instances_on(const Plan& plan, const EdgePlan& edge, std::uint32_t window,
                           const std::vector<std::uint32_t>& workers) {
  const StagePlan& writer = plan.stages[edge.from_stage];
  const bool for_all = edge.count || edge.to_stage == kSinkStage ||
                       writer.outputs[edge.from_port].type.block_bytes() <= kSmallBlockBytes;
  const std::uint64_t both = std::uint64_t{workers[writer.controller]} + workers[plan.stages[edge.to_stage].controller];
  return instances_on_edge(window, both, for_all);
}

std::vector<std::uint32_t> raised_blocks(const Plan& plan, std::uint32_t window, const std::vector<std::uint32_t>& from,
                                         const std::vector<std::uint32_t>& to) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> readers;  // by stage and port
  for (const EdgePlan& edge : plan.edges) readers[{edge.from_stage, edge.from_port}] += edge.count ? 0 : 1;
  std::vector<std::uint32_t> blocks;
  for (const EdgePlan& edge : plan.edges) {
    blocks.push_back(edge.blocks);
    const StagePlan& writer = plan.stages[edge.from_stage];
    if (plan.controllers[writer.controller].traits.keeps_payloads()) continue;  // a device's memory is scarce
    const std::uint64_t before = instances_on(plan, edge, plan.window, from);
    const std::uint64_t now = std::max(before, instances_on(plan, edge, window, to));
    const std::uint64_t bytes = edge.count ? 1 : writer.outputs[edge.from_port].type.block_bytes();
    const std::uint64_t most = most_blocks(bytes, readers[{edge.from_stage, edge.from_port}]);
    const std::uint64_t wanted = edge.blocks + (now - before) * edge.min_blocks;
    blocks.back() = static_cast<std::uint32_t>(std::max<std::uint64_t>(edge.blocks, std::min(wanted, most)));
  }
  return blocks;
}

void swap_blocks(Plan& plan, std::vector<std::uint32_t>& blocks) {
  for (std::size_t e = 0; e < blocks.size(); ++e) std::swap(plan.edges[e].blocks, blocks[e]);
}

void raise(Plan& plan, std::uint32_t wanted, const std::vector<std::uint32_t>& from,
           const std::vector<std::uint32_t>& to) {
  const std::uint32_t before = plan.window;
  for (std::uint32_t window = wanted;; window = before + (window - before) / 2) {
    std::vector<std::uint32_t> blocks = raised_blocks(plan, window, from, to);
    swap_blocks(plan, blocks);
    plan.window = window;
    if (validate(plan).ok()) return;
    swap_blocks(plan, blocks);
    plan.window = before;
    if (window == before) return;
  }
}

}  // namespace

std::vector<std::uint32_t> workers_of(const Plan& plan, std::uint32_t all) {
  std::vector<std::uint32_t> workers;
  for (const ControllerPlan& controller : plan.controllers)
    workers.push_back(controller.workers == kAllWorkers ? std::min(all, kMaxWorkers) : controller.workers);
  return workers;
}

std::uint64_t instances_on_edge(std::uint64_t window, std::uint64_t workers_of_both_ends, bool for_all) noexcept {
  return for_all ? window : std::min(window, 2 * workers_of_both_ends + 2);
}

std::uint64_t most_blocks(std::uint64_t block_bytes, std::uint64_t edges_of_output) noexcept {
  constexpr std::uint64_t kMaxEdgeBytes = 64ULL << 30, kMaxOutputBytes = 255ULL << 30;  // a region is under 256 GiB
  return std::min(kMaxEdgeBytes, kMaxOutputBytes / std::max<std::uint64_t>(edges_of_output, 1)) / block_bytes;
}

void raise_room(Plan& plan, const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to) {
  const std::uint32_t wanted = wanted_window(plan, to);
  if (plan.raises_blocks && (from != to || wanted > plan.window))
    raise(plan, most_window(plan, wanted, kMostRaised), from, to);
}

void raise_window(Plan& plan, std::uint32_t window) {
  const std::vector<std::uint32_t> workers = workers_of(plan, 1);
  raise(plan, most_window(plan, std::max(window, plan.window), kMaxSlots), workers, workers);
}

}  // namespace woa
