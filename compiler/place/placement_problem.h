// The optimization problem that a cost table describes, under a call model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/assign/problem.h"
#include "runtime/base/status.h"
#include "runtime/plan/cost_table.h"

namespace woa {

// `latency`: the serial time of one instance, its communication included. `throughput`: the time between two instances
// of many in flight: the largest load of a controller, of a group of processor cores, or of a link.
struct PlacementGoal {
  std::string model = "woa";          // call model (architecture.md, section 7: "woa", "rpc-fused", "rpc-hub", ...)
  std::string objective = "latency";  // or "throughput"
  std::optional<std::uint64_t> most_latency_ps, most_period_ps;  // a bound on what is not the objective
  bool operator==(const PlacementGoal&) const = default;
};

// Nodes are stages, components those of the table; source and sink have their place. kInvalid: no such model or
// objective, a bound on the objective itself, or numbers so large that sums of them would not be exact (the message
// names the stage or edge).
Result<assign::Problem> placement_problem(const CostTable& table, const PlacementGoal& goal);

}  // namespace woa
