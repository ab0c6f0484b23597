// The placement problem where stages may be on several controllers at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/copies.h"
#include "compiler/place/solver/solve.h"

namespace woa {

// A component of the problem is a set of the table's components: a stage is on all of them, and each reader takes from
// the nearest. So what is known of placements, bounds and proofs holds of it as it is. The sets of one come first, in
// the table's order; goal.copies = 1: there are no others, and it is placement_problem().
struct CopyProblem {
  assign::Problem problem;
  std::vector<ComponentSet> sets;  // by component of the problem
};
// `originals` has no copies. kInvalid: as placement_problem(), goal.copies out of range, copies with a bound on price
// or power (fees are of components, not of sets), more sets than kMostComponentSets, or a copyable stage in a loop.
// `stages`: as there.
inline constexpr std::size_t kMostComponentSets = 64;
Result<CopyProblem> copy_problem(const CostTable& originals, const PlacementGoal& goal,
                                 const std::vector<std::string>& stages = {});

// `places`: the set of each stage. Nothing: one of them is no component of the problem.
std::optional<assign::Placement> placement_on(const CopyProblem& problem, const std::vector<ComponentSet>& places);

// The table with the copies of a solution, whose placement becomes one of its stages. Copies that nobody reads from are
// left out, which makes no solution worse.
CostTable write_out_copies(const CostTable& originals, const PlacementGoal& goal, const CopyProblem& problem,
                           assign::Solution& solution);

}  // namespace woa
