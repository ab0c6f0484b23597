// Exact placement on two components: a minimum cut (Stone, "Multiprocessor scheduling with the aid of network flow
// algorithms", 1977).
#pragma once

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

// Two components, kSum, no rows that have a limit, and for every edge its two costs with the ends apart are together at
// least those with both ends here and both there: then the least sum is a minimum cut.
bool is_cut(const Problem& problem);
// The least sum. `problem`: is_cut().
Solved solve_cut(const Problem& problem);

}  // namespace woa::assign
