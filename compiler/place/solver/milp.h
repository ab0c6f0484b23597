// Placement by a mixed-integer solver: CBC, if the build found it. Nobody can check what it says of its own answer:
// "claimed".
#pragma once

#include <chrono>
#include <string>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

struct Milp {
  Placement placement;       // the best that it found; empty: none found, no solver, or no time
  bool optimal = false;      // it says that none is better, up to rounding: it gets costs as whole millionths of the
                             // largest
  std::string failure = {};  // how it failed ("CBC aborted (signal 6)"); empty: it did not
};

// The flow formulation: x(i, l) for nodes and components, y(e, a, b) for edges and pairs, whose sums over either end
// are that node's x. Among interchangeable components an earlier one has no fewer nodes. `start`: the placement to
// begin with, empty or feasible. `problem`: is_for_solver(). Blocks for `limit` and a second at most; runs in a child
// process (runtime/base/child_process.h).
Milp solve_milp(const Problem& problem, const Placement& start, std::chrono::milliseconds limit);

// True if the problem is small enough for a solver. Larger linear programs take it minutes, whatever the limit.
bool is_for_solver(const Problem& problem) noexcept;

// kUnavailable, or kExhausted at a limit on open files: there is no solver; the message says why.
Status solver_status();

}  // namespace woa::assign
