// Placement where what is spent on components is bounded: the best of those for each set that can be afforded.
#pragma once

#include "compiler/place/solver/solve.h"

namespace woa::assign {

// solve(), of a problem with fees that passes check(). First without them: what is best then may be within them all the
// same. Where there are too many sets for the time, the bound is that of the problem without fees. kExhausted and
// kDeadlineExceeded: as solve(), or nothing can be afforded that all nodes have a place on; the message says what would
// do.
Result<Solution> solve_within_fees(const Problem& problem, const SolveOptions& options);

}  // namespace woa::assign
