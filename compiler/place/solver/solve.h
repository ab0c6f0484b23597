// Placement by the method that suits the problem, and the standing of the answer.
#pragma once

#include <chrono>
#include <string>

#include "compiler/place/solver/proof.h"

namespace woa::assign {

enum class Standing : std::uint8_t {
  kProved,     // the proof's bound is the value: no placement is better
  kClaimed,    // a solver says that none is better; the proof's bound is below the value
  kGap,        // no placement is below the proof's bound, which is below the value
  kHeuristic,  // nothing but the placement: the bound is 0
};
std::string_view to_string(Standing standing) noexcept;  // "proved", "claimed", "gap", "heuristic"

struct SolveOptions {
  std::chrono::milliseconds limit{10'000};  // overrun by one step of a search; a solver gets three fifths at most
  bool solver = true;                       // may a solver be asked, if there is one?
  Placement start = {};                     // if feasible, replaces list scheduling and local search as the start
};

struct Solution {
  Placement placement;
  Value value;
  Standing standing = Standing::kHeuristic;
  Sum bound = 0;
  Proof proof;  // verify(problem, proof, bound) is ok; without leaves: bound is 0
  // The method that found the placement: "tree", "minimum cut", "list scheduling + local search", "branch and bound",
  // "CBC"; behind it how a solver failed, or the number of affordable sets.
  std::string method;
};

// If sum_alone(), two components (minimum_cut.h) and forests are solved exactly, once nodes with one place are left out
// (reduced.h). All other problems take branch and bound, first with many cheap cases (quick_branch.h), then with bounds
// that take more (branch.h), then a solver (milp.h). Fees are kept by solving for each affordable set of components
// (within_fees.h). Above 5,000 nodes a placement within 0.1 % of the bound is good enough. One thread; the same answer
// each time, unless the limit cuts a search short. kInvalid: as check(). kExhausted: no feasible placement was found;
// the message says which limit the best broke. kDeadlineExceeded: the same, and the limit cut the search short.
Result<Solution> solve(const Problem& problem, const SolveOptions& options = {});

}  // namespace woa::assign
