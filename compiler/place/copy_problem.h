// The placement problem with copies: stages may be on several controllers at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/copies.h"
#include "compiler/place/solver/solve.h"

namespace woa {

// A component of the problem is a set of the table's components: a stage is on all of them, and each reader takes from
// the nearest. So placements, bounds and proofs apply unchanged. Sets of one component come first, in the table's
// order. With goal.copies = 1 there are no others, and the problem is placement_problem().
struct CopyProblem {
  assign::Problem problem;
  std::vector<ComponentSet> sets;  // by component of the problem
};
// `originals` has no copies. kInvalid: as placement_problem(), goal.copies out of range, copies with a bound on price
// or power (fees are of components, not of sets), more sets than kMostComponentSets, or a copyable stage in a loop.
// `stages`: as placement_problem().
inline constexpr std::size_t kMostComponentSets = 64;
Result<CopyProblem> copy_problem(const CostTable& originals, const PlacementGoal& goal,
                                 const std::vector<std::string>& stages = {});

// `places`: the set of each stage. Nothing: one of them is no component of the problem.
std::optional<assign::Placement> placement_on(const CopyProblem& problem, const std::vector<ComponentSet>& places);

// Returns the table with the copies of a solution, and makes the solution's placement one of that table's stages.
// Leaves out copies that no stage reads from, which makes no solution worse.
CostTable write_out_copies(const CostTable& originals, const PlacementGoal& goal, const CopyProblem& problem,
                           assign::Solution& solution);

}  // namespace woa
