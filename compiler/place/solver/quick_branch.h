// Exact placement where a few rows decide: branch and bound over many cases that take next to nothing each.
//
// The bound of a case is that of one sum: a row, or the costs and rows as the multipliers of the root price them. What
// each comes to at least is kept up to date as nodes are put down, all sums at once, so that every node and component
// can be tried before it is said which node comes next. A largest load is found by that with few cases, where a mean of
// loads (branch.h) takes many.
#pragma once

#include <chrono>
#include <cstdint>

#include "compiler/place/solver/proof.h"

namespace woa::assign {

struct QuickOptions {
  Sum below = 0;                      // placements as dear as this are not looked for
  std::size_t most_leaves = 100'000;  // of the proof
  std::chrono::steady_clock::time_point end;
};

struct Quick {
  // No feasible placement is below `value`, and the leaves show it; false: it would have taken too long or too many.
  bool complete = false;
  Sum value = 0;        // that of `placement`, or options.below
  Placement placement;  // feasible; none: none below was found
  Proof proof;
};

// Some row or limit counts, and all there is to keep up to date is of a moderate size.
bool is_for_quick_branch(const Problem& problem);
// Takes up to about half a second beside the prices of the root, less where `end` comes first. `problem`:
// is_for_quick_branch().
Quick branch_quickly(const Problem& problem, const QuickOptions& options);

// Of a problem whose nodes have one place each: the row that is overloaded, or the largest one, is what counts. Prices
// may not be as high as it takes to reach the value.
Multipliers settled(const Problem& problem, Sum value);

}  // namespace woa::assign
