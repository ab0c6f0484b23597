// Placement without a promise: list scheduling (list_schedule.h), beside it each node where it is cheapest and all
// nodes together, then changes as long as they help.
//
// Where only the sum counts, a change places a random set of nodes, among which the edges make a forest, as well as
// can be (forest.h). Where rows count, one node moves, or a few at random to leave a place that no single move leaves.
#pragma once

#include <chrono>
#include <cstdint>

#include "compiler/assign/problem.h"

namespace woa::assign {

struct SearchOptions {
  std::uint64_t seed = 1;    // the same seed gives the same placement
  std::uint32_t rounds = 0;  // that are tried without success before it ends; 0: a number that suits the problem
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();  // overrun by little
};

// From a placement to one that is no worse.
Placement improve(const Problem& problem, Placement placement, const SearchOptions& options = {});
// Not always feasible: evaluate() says.
Placement search(const Problem& problem, const SearchOptions& options = {});

}  // namespace woa::assign
