// What a traced run sent on every edge: for profiles, which say how many tokens an instance has.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/controller/stats.h"
#include "runtime/plan/plan.h"

namespace woa {

struct TracedToken {
  std::uint64_t bytes = 0;  // of payload
  bool read = true;         // false: it was held for firings of which none came
};

// By edge of `plan`, which was run. `traces`: of all controllers, borrowed; what is older than instance `first` does
// not count. Edges that carry counts have no tokens.
std::vector<std::vector<TracedToken>> traced_tokens(const Plan& plan,
                                                    std::span<const std::span<const TraceEvent>> traces,
                                                    std::uint64_t first);

}  // namespace woa
