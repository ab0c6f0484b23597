// Exact placement: branch and bound, and the leaves as the proof.
//
// A branch puts a node on a component; its bound is that of ascent.h. Branches that are as dear as the best placement
// known are leaves. The leaves cover all cases, and each has the multipliers that show its bound, so that whoever reads
// them needs neither this search nor a solver (proof.h).
#pragma once

#include <chrono>
#include <optional>

#include "compiler/place/solver/proof.h"

namespace woa::assign {

struct BranchOptions {
  std::optional<Sum> below = std::nullopt;  // placements as dear as this are not looked for
  std::chrono::milliseconds limit{1000};
  Cost near_ppm = 0;  // a bound that is so many millionths of the value below it is near enough to end with
  std::size_t most_leaves = 100'000;  // of the proof
  bool quick = true;                  // is quick_branch.h to be tried first?
};

struct Branched {
  Placement placement;  // the best that was found, `start` at worst
  Sum bound = 0;  // no feasible placement is below; the placement's value, or options.below, if the search was not
                  // cut short
  Proof proof;    // of the bound
  std::uint64_t branches = 0;
};

// `start`: a feasible placement; with `below` none is needed, and none may be found.
Branched branch_and_bound(const Problem& problem, const Placement& start, const BranchOptions& options = {});

}  // namespace woa::assign
