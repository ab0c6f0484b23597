// Exact placement of a forest: a dynamic programme over subtrees.
//
// The least cost of each subtree, by the component of its parent, is computed from the leaves up; the best component of
// each node follows from the roots down. Nodes x components^2 steps.
#pragma once

#include <vector>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/neighbours.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

// True if there is at most one path between any two nodes.
bool is_forest(const Problem& problem);

// Finds the least sum. `problem`: a forest, kSum, without rows that have a limit.
Solved solve_forest(const Problem& problem);

// Places the `free` nodes, among which the edges make a forest, optimally while all others stay; ignores rows. A step
// of a local search: it never makes the sum larger.
void place_forest(const Problem& problem, const Neighbours& neighbours, const std::vector<std::uint32_t>& free,
                  Placement& placement);

}  // namespace woa::assign
