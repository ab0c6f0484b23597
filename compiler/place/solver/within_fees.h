// Placement with bounded fees: the best over all affordable sets of components.
#pragma once

#include "compiler/place/solver/solve.h"

namespace woa::assign {

// solve() for a problem with fees that passes check(). First solves without fees: the result may keep them. If there
// are too many sets for the time, the bound is that of the problem without fees. kExhausted and kDeadlineExceeded: as
// solve(), or no affordable set has a place for every node; the message has the least amount that suffices.
Result<Solution> solve_within_fees(const Problem& problem, const SolveOptions& options);

}  // namespace woa::assign
