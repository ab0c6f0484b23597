// What is said where no placement was found that keeps what was asked for: which bound cannot be kept, and what could.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "compiler/place/copy_problem.h"

namespace woa {

// One thing that cannot be kept.
struct Unmet {
  bool option = false;  // a bound of the command line; else what the machine file, the profile or pins say
  std::string text, fix;
};

struct Refusal {
  std::vector<Unmet> unmet;
  assign::Placement kept;  // one that keeps everything, come by on the way; then nothing is unmet
};

// `why`: what assign::solve() answered to `problem`, which copy_problem() made of the others. Looks for what could be
// kept until `end`, and for a tenth of a second at least.
Refusal find_unmet(const CostTable& table, const PlacementGoal& goal, const std::vector<std::string>& stages,
                   const CopyProblem& problem, const Status& why, std::chrono::steady_clock::time_point end);

}  // namespace woa
