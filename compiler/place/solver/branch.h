// Exact placement: branch and bound, and the leaves as the proof.
//
// A branch puts a node on a component; its bound is that of row_prices.h. Branches whose bound reaches the best known
// value are leaves. The leaves cover all cases, and each has the multipliers of its bound, so that a checker needs
// neither this search nor a solver (proof.h).
#pragma once

#include <chrono>
#include <optional>

#include "compiler/place/solver/proof.h"

namespace woa::assign {

struct BranchOptions {
  std::optional<Sum> below = std::nullopt;  // search only for placements below this value
  std::chrono::milliseconds limit{1000};
  Cost near_ppm = 0;                  // ends once the bound is at most so many millionths below the value
  std::size_t most_leaves = 100'000;  // of the proof
  bool quick = true;                  // try quick_branch.h first
};

struct Branched {
  Placement placement;  // the best that was found, `start` at worst
  Sum bound = 0;        // no feasible placement is below; if the search was not cut short: the placement's value, or
                        // options.below
  Proof proof;          // of the bound
  std::uint64_t branches = 0;
};

// `start`: a feasible placement; with `below` it may be empty, and the search may find none.
Branched branch_and_bound(const Problem& problem, const Placement& start, const BranchOptions& options = {});

}  // namespace woa::assign
