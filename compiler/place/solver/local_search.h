// Heuristic placement. Starts are list scheduling, each node where it is cheapest, and all nodes together on each
// component; then changes as long as they help.
//
// If only the sum counts, a change optimally places a random set of nodes, among which the edges make a forest
// (forest.h). If rows count, one node moves, or a few at random to leave a local optimum.
#pragma once

#include <chrono>
#include <cstdint>

#include "compiler/place/solver/neighbours.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

struct SearchOptions {
  std::uint64_t seed = 1;    // the same seed gives the same placement
  std::uint32_t rounds = 0;  // without success before it ends; 0: a number that suits the problem
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();  // overrun by little
};

// List scheduling (Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17(2), 1969): nodes in the
// order of their largest possible costs, the dearest first, each to where the score of the nodes so far rises least.
// Not always feasible. Takes a pass over nodes, edges and components, and each row at each node.
Placement list_schedule(const Problem& problem, const Neighbours& neighbours);

// Returns a placement that is no worse.
Placement improve(const Problem& problem, Placement placement, const SearchOptions& options = {});
// The result may be infeasible: evaluate() says.
Placement search(const Problem& problem, const SearchOptions& options = {});

}  // namespace woa::assign
