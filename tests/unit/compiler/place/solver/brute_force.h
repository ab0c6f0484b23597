// The test oracle: every placement there is.
#pragma once

#include <optional>

#include "compiler/place/solver/problem.h"

namespace woa::assign::test {

// Next after `placement`, in the order of numbers whose digits are the nodes' components; false: that was the last one.
inline bool advance(const Problem& problem, Placement& placement) {
  for (std::size_t i = 0; i < placement.size(); ++i) {
    while (++placement[i] < problem.components)
      if (problem.nodes[i][placement[i]] != kForbidden) return true;
    placement[i] = 0;
    while (placement[i] < problem.components && problem.nodes[i][placement[i]] == kForbidden) ++placement[i];
    if (placement[i] == problem.components) return false;  // it has no place at all
  }
  return false;
}

// The least objective of a feasible placement; nothing: there is none. At most ten nodes.
inline std::optional<Sum> brute_force(const Problem& problem) {
  std::optional<Sum> least;
  Placement placement(problem.nodes.size(), 0);
  do {
    const Value value = evaluate(problem, placement);
    if (value.feasible && (!least || value.objective < *least)) least = value.objective;
  } while (advance(problem, placement));
  return least;
}

}  // namespace woa::assign::test
