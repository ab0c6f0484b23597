// Placement by a solver of mixed-integer programs: CBC, where it was found when this was built. It is believed for what
// it says of its own answer ("claimed"), which nobody can check.
#pragma once

#include <chrono>
#include <string>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

struct Milp {
  Placement placement;       // the best that it found; empty: none, or there is no solver, or no time
  bool optimal = false;      // it says that none is better, but for what rounding takes: costs are given to it as whole
                             // numbers of millionths of the largest
  std::string failure = {};  // not empty: it came to grief ("CBC aborted (signal 6)")
};

// The flow formulation: x(i, l) for nodes and components, y(e, a, b) for edges and pairs, whose sums over either end
// are that node's x; of components that may change places the one before has no fewer nodes. `start`: where it begins,
// empty or feasible. `problem`: is_for_solver(). Blocks for `limit` and a second at most;
// runs in a child process (child_process.h).
Milp solve_milp(const Problem& problem, const Placement& start, std::chrono::milliseconds limit);

// Is the problem of a size that a solver ends with? Larger linear programs take it minutes, whatever the limit.
bool is_for_solver(const Problem& problem) noexcept;

// kUnavailable: there is no solver, and why.
Status solver_status();

}  // namespace woa::assign
