// A stage with replicas becomes as many stages of the plan.
#pragma once

#include "compiler/check/graph.h"

namespace woa {

// `plan`, emitted from `graph`, with each stage that has replicas repeated, on its own controller, as `NAME[0]`,
// `NAME[1]`, and so on. Instance i, in a scatter element i, is for replica i modulo their number, so what is not held
// has an edge to each that takes those only (all, where its writer has none but those); a held token goes to all.
// Between two stages with replicas there are edges only where a token may take them. Blocks beyond b(e) are divided, as
// the instances in flight are.
Plan with_replicas(Plan plan, const Graph& graph);

}  // namespace woa
