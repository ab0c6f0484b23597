// A plan's edges as they were before a call model's relays stood in their way.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa {

// The first `count` edges of the plan, or all if it has fewer; call models add theirs behind (runtime/rpc/relays.h).
// One that enters a relay ends where what the relay passes on is read.
std::vector<EdgePlan> graph_edges(const Plan& plan, std::size_t count);

}  // namespace woa
