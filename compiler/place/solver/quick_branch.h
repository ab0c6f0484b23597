// Exact placement if a few rows decide: branch and bound over many cases, each almost free.
//
// The bound of a case is that of one sum: a row, or the Lagrangian costs by the root's multipliers. The least values of
// all sums are updated together as nodes are placed, so that every node and component can be tried before the next node
// is chosen. A largest load is found with few cases, where a mean of loads (branch.h) takes many.
#pragma once

#include <chrono>
#include <cstdint>

#include "compiler/place/solver/proof.h"

namespace woa::assign {

struct QuickOptions {
  Sum below = 0;                      // search only for placements below this value
  std::size_t most_leaves = 100'000;  // of the proof
  std::chrono::steady_clock::time_point end;
};

struct Quick {
  // True: no feasible placement is below `value`, and the leaves prove it. False: time, leaves or the range of
  // multipliers ran out.
  bool complete = false;
  Sum value = 0;        // of `placement`, or options.below
  Placement placement;  // feasible; empty: none below was found
  Proof proof;
};

// True if some row or limit counts, and the problem and its tables are of moderate size.
bool is_for_quick_branch(const Problem& problem);
// Takes up to about half a second beside the root's multipliers, less if `end` comes first. `problem`:
// is_for_quick_branch().
Quick branch_quickly(const Problem& problem, const QuickOptions& options);

// Multipliers of a problem whose nodes have one place each: of the limits that are broken, and of the largest row. They
// are limited (kMostRowPrice), so that their bound may not reach `value`.
Multipliers settled(const Problem& problem, Sum value);

}  // namespace woa::assign
