// Placement without a promise: list scheduling, beside it each node where it is cheapest and all
// nodes together, then changes as long as they help.
//
// Where only the sum counts, a change places a random set of nodes, among which the edges make a forest, as well as
// can be (forest.h). Where rows count, one node moves, or a few at random to leave a place that no single move leaves.
#pragma once

#include <chrono>
#include <cstdint>

#include "compiler/place/solver/neighbours.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

struct SearchOptions {
  std::uint64_t seed = 1;    // the same seed gives the same placement
  std::uint32_t rounds = 0;  // that are tried without success before it ends; 0: a number that suits the problem
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();  // overrun by little
};

// List scheduling (Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969): nodes in the
// order of what they may cost, the dearest first, each to where the score rises least beside those before it.
// Not always feasible. Takes a pass over nodes, edges and components, and each row at each node.
Placement list_schedule(const Problem& problem, const Neighbours& neighbours);

// From a placement to one that is no worse.
Placement improve(const Problem& problem, Placement placement, const SearchOptions& options = {});
// Not always feasible: evaluate() says.
Placement search(const Problem& problem, const SearchOptions& options = {});

}  // namespace woa::assign
