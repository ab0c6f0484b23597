// A stage with replicas or copies becomes as many stages of the plan.
#pragma once

#include "compiler/certificate/cost_table.h"
#include "compiler/check/graph.h"

namespace woa {

// `plan`, emitted from `graph`, with each stage that has replicas repeated, on its own controller, as `NAME[0]`,
// `NAME[1]`, and so on. Instance i, in a scatter element i, is for replica i modulo their number, so what is not held
// has an edge to each that takes those only (all, where its writer has none but those); a held token goes to all.
// Between two stages with replicas there are edges only where a token may take them. Blocks beyond b(e) are divided, as
// the instances in flight are.
Plan with_replicas(Plan plan, const Graph& graph);

// `plan`, made of `graph` by with_replicas(), with the copies of a table that has them (place/copies.h): each on its
// own controller, as `NAME@CONTROLLER`, with the blocks of the stage's edges.
Plan with_copies(Plan plan, const Graph& graph, const CostTable& costs);

}  // namespace woa
