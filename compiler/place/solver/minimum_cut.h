// Exact placement on two components: a minimum cut (Stone, "Multiprocessor scheduling with the aid of network flow
// algorithms", 1977).
#pragma once

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

// True if there are two components, sum_alone(), and every edge is submodular: its two costs with the ends apart are
// together at least those with both ends here and both there. Then the least sum is a minimum cut.
bool is_cut(const Problem& problem);
// Finds the least sum. `problem`: is_cut().
Solved solve_cut(const Problem& problem);

}  // namespace woa::assign
