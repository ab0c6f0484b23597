// Placement by a profile: the controllers on which a graph takes the least time.
#pragma once

#include <chrono>
#include <optional>

#include "compiler/certificate/certificate.h"
#include "compiler/check/graph.h"
#include "compiler/parse/machine.h"
#include "compiler/parse/profile.h"

namespace woa {

// Replaces Graph::controllers and GraphStage::controller (and those of replicas and copies), which place() has set by
// rule, and returns the certificate. Keeps pins; a pin to a kind allows any controller of it. Reports what
// make_cost_table() does, unknown goals, bounds that no placement keeps, and prices and powers that are bounded but not
// known. Returns nothing after a report. Blocks for little more than `limit`.
std::optional<Certificate> place_by_costs(Graph& graph, const Machine& machine, const Profile& profile,
                                          const PlacementGoal& goal, std::chrono::milliseconds limit, Report& report);

}  // namespace woa
