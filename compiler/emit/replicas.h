// Turns each replica or copy of a stage into a stage of the plan.
#pragma once

#include "compiler/certificate/cost_table.h"
#include "compiler/check/graph.h"

namespace woa {

// `plan`, emitted from `graph`, with each stage that has replicas repeated, on its own controller, as `NAME[0]`,
// `NAME[1]`, and so on. Instance i, in a scatter element i, is for replica i modulo their number. So an input that is
// not held gets an edge to each replica that takes only its tokens (all, if its writer has only those); a held token
// goes to all replicas. Between two stages with replicas there are edges only where a token may take them. Blocks
// beyond b(e) are divided, like the instances in flight.
Plan with_replicas(Plan plan, const Graph& graph);

// `plan`, made of `graph` by with_replicas(), with the copies of stages that `costs` lists (place/copies.h): each on
// its own controller, as `NAME@CONTROLLER`, with the blocks of the stage's edges.
Plan with_copies(Plan plan, const Graph& graph, const CostTable& costs);

}  // namespace woa
