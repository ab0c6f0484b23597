// A stage that is on several controllers at once becomes as many stages of the plan.
#pragma once

#include "compiler/certificate/cost_table.h"
#include "compiler/check/graph.h"

namespace woa {

// `plan`, made of `graph` by with_replicas(), with the copies of a table that has them (place/copies.h): each on its
// own controller, as `NAME@CONTROLLER`, with the blocks of the stage's edges.
Plan with_copies(Plan plan, const Graph& graph, const CostTable& costs);

}  // namespace woa
