// Placement by what was measured: the controllers that a graph takes the least time on.
#pragma once

#include <chrono>
#include <optional>

#include "compiler/certificate/certificate.h"
#include "compiler/check/graph.h"
#include "compiler/parse/machine.h"
#include "compiler/parse/profile.h"

namespace woa {

// Sets Graph::controllers and GraphStage::controller (and those of replicas and copies), which place() has set by rule,
// and says why they are so. Pins are kept; of a pin to a kind any controller of it is taken. Reports what
// make_cost_table() does, goals that there are not, bounds that no placement keeps, and prices that are bounded and not
// known. Nothing after a report. Blocks for `limit` and little more.
std::optional<Certificate> place_by_costs(Graph& graph, const Machine& machine, const Profile& profile,
                                          const PlacementGoal& goal, std::chrono::milliseconds limit, Report& report);

}  // namespace woa
