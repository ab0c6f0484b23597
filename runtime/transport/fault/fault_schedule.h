// Which of the packets, returns or reservations that pass one end are hit by which fault. Internal to the fault
// transport.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "runtime/transport/fault/fault_plan.h"

namespace woa {

// A fault that struck.
struct Fault {
  FaultKind kind = FaultKind::kDrop;
  std::uint32_t amount = 0;
  std::uint64_t bit = 0;
};

class FaultSchedule {
 public:
  FaultSchedule() = default;  // nothing happens
  // `plans` concern this end; `channel` is its number, so that ends under one plan and seed meet faults of their own.
  FaultSchedule(std::vector<FaultPlan> plans, std::uint32_t channel);

  // What happens to the next one. If several plans strike at once, the first counts. `bits`: the size of what may be
  // corrupted. No allocation.
  [[nodiscard]] std::optional<Fault> next(std::uint64_t bits) noexcept;

 private:
  struct Course {
    FaultPlan plan;
    std::uint64_t left;
    std::mt19937_64 random;
  };
  std::vector<Course> courses_;
  std::uint64_t number_ = 0;
};

}  // namespace woa
