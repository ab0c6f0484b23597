// Explains why no placement keeps the bounds: which bound cannot be kept, and what could.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "compiler/place/copy_problem.h"

namespace woa {

// One bound or limit that cannot be kept.
struct Unmet {
  bool option = false;  // a bound of the command line; else what the machine file, the profile or pins say
  std::string text, fix;
};

struct Refusal {
  std::vector<Unmet> unmet;
  assign::Placement kept;  // one found on the way that keeps everything; then `unmet` is empty
};

// `why`: the error of assign::solve() for `problem`, which copy_problem() made of the other arguments. Searches until
// `end`, and for a tenth of a second at least, for bounds that can be kept.
Refusal find_unmet(const CostTable& table, const PlacementGoal& goal, const std::vector<std::string>& stages,
                   const CopyProblem& problem, const Status& why, std::chrono::steady_clock::time_point end);

}  // namespace woa
