// List scheduling (Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969): nodes in the
// order of what they may cost, the dearest first, each to where the score rises least beside those before it.
#pragma once

#include "compiler/assign/neighbours.h"
#include "compiler/assign/problem.h"

namespace woa::assign {

// Not always feasible. Takes a pass over nodes, edges and components, and each row at each node.
Placement list_schedule(const Problem& problem, const Neighbours& neighbours);

}  // namespace woa::assign
