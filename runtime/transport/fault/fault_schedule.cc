#include "runtime/transport/fault/fault_schedule.h"

namespace woa {

FaultSchedule::FaultSchedule(std::vector<FaultPlan> plans, std::uint32_t channel) {
  for (const FaultPlan& plan : plans) {
    std::seed_seq seed{static_cast<std::uint32_t>(plan.seed), static_cast<std::uint32_t>(plan.seed >> 32), channel};
    courses_.push_back({plan, plan.count, std::mt19937_64(seed)});
  }
}

std::optional<Fault> FaultSchedule::next(std::uint64_t bits) noexcept {
  ++number_;
  for (Course& course : courses_) {
    if (number_ < course.plan.first || course.left == 0) continue;
    const double draw = static_cast<double>(course.random() >> 11) * 0x1p-53;  // 0 to 1
    if (draw >= course.plan.chance) continue;
    --course.left;
    return Fault{course.plan.kind, course.plan.amount,
                 course.plan.bit == kAnyBit ? course.random() % bits : course.plan.bit};
  }
  return std::nullopt;
}

}  // namespace woa
