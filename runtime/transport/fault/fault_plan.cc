#include "runtime/transport/fault/fault_plan.h"

#include <cstdio>

namespace woa {
namespace {

constexpr std::array<std::string_view, 7> kKindNames{"drop",    "delay",   "reorder", "duplicate",
                                                     "corrupt", "fill up", "kill"};
constexpr std::array<std::string_view, 21> kStepNames{
    "reserved",         "commit begun",     "inline payload written", "header half written", "header written",
    "published",        "consumer woken",   "return taken",           "producer closes",     "producer closed",
    "packet read",      "packet delivered", "packets counted",        "return begun",        "return half written",
    "return published", "producer woken",   "consumer closes",        "consumer closed",     "replica connects",
    "prepared"};
static_assert(kStepNames.size() == kPreparingSteps.size() + kConsumerSteps.size() + 1);

}  // namespace

std::string_view to_string(FaultKind kind) noexcept { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string_view to_string(ProtocolStep step) noexcept { return kStepNames[static_cast<std::size_t>(step)]; }

std::string to_string(const FaultPlan& plan) {
  const auto number = [](std::uint32_t value) {
    return value == ~std::uint32_t{0} ? std::string("any") : std::to_string(value);
  };
  std::string line(to_string(plan.kind));
  if (plan.kind == FaultKind::kKill) {
    line += " when '" + std::string(to_string(plan.step)) + "'";
  } else if (plan.kind != FaultKind::kFillUp) {
    line += plan.target == FaultTarget::kPackets ? " packets" : " returns";
  }
  line += ", channel " + number(plan.channel) + ", from " + std::to_string(plan.first) + ", at most " +
          std::to_string(plan.count);
  if (plan.chance < 1) {
    std::array<char, 16> chance{};
    std::snprintf(chance.data(), chance.size(), "%.3f", plan.chance);
    line += ", chance " + std::string(chance.data()) + ", seed " + std::to_string(plan.seed);
  }
  if (plan.kind == FaultKind::kCorrupt) return line + ", bit " + number(plan.bit);
  return plan.kind == FaultKind::kDrop || plan.kind == FaultKind::kKill ? line
                                                                        : line + ", by " + std::to_string(plan.amount);
}

}  // namespace woa
