#include "runtime/measure/token_hop.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/base/free_memory.h"
#include "runtime/measure/driven_run.h"
#include "runtime/measure/memory.h"
#include "runtime/measure/plans.h"

namespace woa::measure {
namespace {

constexpr std::uint64_t kWarmUpHops = 32;  // hops: until the blocks that come back are used again

// Memory must hold every block of such a run, and leave as much for others.
Status check_memory(const Plan& plan, std::uint64_t bytes) {
  std::uint64_t blocks = 0;
  for (const EdgePlan& edge : plan.edges) blocks += edge.blocks;
  const std::size_t available = available_bytes();
  if (available == 0 || bytes <= available / 2 / blocks) return {};
  return {Code::kExhausted, std::to_string(blocks) + " blocks of " + std::to_string(bytes) +
                                " bytes would take more than half of the " + std::to_string(available) +
                                " bytes of memory that are available"};
}

}  // namespace

Result<double> token_hop_ns(const RunOptions& options, const TokenHop& hop) {
  Plan plan = ping_pong(hop.at_once, hop.bytes, hop.inline_bytes);
  if (hop.within) {
    for (StagePlan& stage : plan.stages) stage.controller = std::min(stage.controller, 1U);
    plan.controllers.pop_back();
  }
  WOA_RETURN_IF_ERROR(check_memory(plan, hop.bytes));
  RunOptions placed = options;
  placed.processors = {{}, {0}, {1}};
  placed.idle = IdleOptions{};  // two pinned loops and a host that sleeps: spinning hurts nobody
  auto driven = DrivenRun::start(plan, std::move(placed));
  if (!driven.ok()) return driven.status();
  const auto send = [&](std::uint64_t hops) {
    return driven->drive(hop.at_once, [&, hops](std::uint32_t, std::span<std::byte> room) {
      std::memcpy(room.data(), &hops, sizeof hops);
      return Result<std::uint64_t>(hop.bytes);
    });
  };
  const auto warm = send(std::min(kWarmUpHops, hop.hops));
  if (!warm.ok()) return warm.status();
  const auto ns = send(hop.hops);
  if (!ns.ok()) return ns.status();
  WOA_RETURN_IF_ERROR(driven->finish().status());
  return static_cast<double>(*ns) / (static_cast<double>(hop.hops) * hop.at_once);
}

}  // namespace woa::measure
