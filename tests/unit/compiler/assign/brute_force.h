// The test oracle: every placement there is.
#pragma once

#include <optional>

#include "compiler/assign/problem.h"

namespace woa::assign::test {

// The least objective of a feasible placement; nothing: there is none. At most ten nodes.
inline std::optional<Sum> brute_force(const Problem& problem) {
  std::optional<Sum> least;
  Placement placement(problem.nodes.size(), 0);
  for (bool more = true; more;) {
    const Value value = evaluate(problem, placement);
    if (value.feasible && (!least || value.objective < *least)) least = value.objective;
    more = false;
    for (std::uint32_t& component : placement) {
      if (++component < problem.components) {
        more = true;
        break;
      }
      component = 0;
    }
  }
  return least;
}

}  // namespace woa::assign::test
