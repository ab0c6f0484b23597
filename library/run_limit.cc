#include "library/run_limit.h"

#include <algorithm>
#include <cstddef>

#include "runtime/base/quantities.h"

namespace woa {
namespace {

constexpr double kFull = 0.8;  // beyond it, a controller that is faster makes the run faster

std::string percent(double share) { return to_text("%.0f %%", 100 * std::min(share, 1.0)); }

}  // namespace

double share_of(std::uint32_t workers, std::uint64_t busy_ns, double wall_s) {
  constexpr double kNsPerS = 1e9;
  const double all_s = wall_s * std::max<double>(workers, 1);
  return all_s > 0 ? static_cast<double>(busy_ns) / kNsPerS / all_s : 0;
}

bool RunLimit::is_full() const noexcept { return share >= kFull; }

std::string RunLimit::text() const {
  const std::string worked = percent(share) + " of the time, " + percent(stage_share) + " on " + stage;
  if (is_full()) return "limited by " + controller + ": it worked " + worked;
  return "limited by no controller: " + controller + ", the busiest, worked " + worked +
         "; instances waited for inputs, messages, processors or the window";
}

std::optional<RunLimit> limit_of(const Plan& plan, const RunReport& report, double wall_s) {
  RunLimit limit;
  for (std::size_t c = 0; c < plan.controllers.size(); ++c) {
    std::uint64_t busy_ns = 0, most_ns = 0;
    std::size_t longest = 0;
    const auto& stages = report.controllers[c].stats.stages;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      busy_ns += stages[s].busy_ns;
      if (stages[s].busy_ns > most_ns) most_ns = stages[s].busy_ns, longest = s;
    }
    const std::uint32_t workers = report.controllers[c].device.workers;
    const double share = share_of(workers, busy_ns, wall_s);
    if (share > limit.share)
      limit = {plan.controllers[c].name, plan.stages[longest].name, share, share_of(workers, most_ns, wall_s)};
  }
  return limit.share > 0 ? std::optional(limit) : std::nullopt;
}

}  // namespace woa
