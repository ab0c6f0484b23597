// The limit of a run: shares of the time in which controllers could work, and the controller that worked most of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/node/run.h"

namespace woa {

// Part of the time of all workers of a controller. More than 1 if a device has several firings under way.
double share_of(std::uint32_t workers, std::uint64_t busy_ns, double wall_s);

struct RunLimit {
  std::string controller, stage;                // the busiest controller, and its busiest stage
  double share = 0, stage_share = 0;            // by share_of()
  [[nodiscard]] bool is_full() const noexcept;  // it limits the run; else waiting does
  [[nodiscard]] std::string text() const;       // "limited by cpu:0: it worked 93 % of the time, 89 % on decode"
};

// Nothing if nobody worked, or the time is unknown.
std::optional<RunLimit> limit_of(const Plan& plan, const RunReport& report, double wall_s);

}  // namespace woa
