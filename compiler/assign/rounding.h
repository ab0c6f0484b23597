// A placement by messages: node after node, each where it is cheapest with regard to those before (Kolmogorov, 2006).
#pragma once

#include "compiler/assign/bound.h"
#include "compiler/assign/neighbours.h"
#include "compiler/assign/priced.h"

namespace woa::assign {

inline Placement round(const Problem& problem, const Neighbours& neighbours, const Priced& priced,
                       const Multipliers& messages) {
  Placement placement(problem.nodes.size());
  for (std::uint32_t i = 0; i < placement.size(); ++i) {
    Sum least = kNowhere;
    for (std::uint32_t l = 0; l < problem.components; ++l) {
      if (problem.nodes[i][l] == kForbidden) continue;
      Sum sum = priced.node(i, l);
      for (const std::uint32_t e : neighbours.of(i)) {
        const Edge& edge = problem.edges[e];
        const std::uint32_t other = across(edge, i);
        if (other > i)
          sum += (edge.from == i ? messages.from : messages.to)[e][l];
        else
          sum += edge.from == i ? priced.edge(e, l, placement[other]) : priced.edge(e, placement[other], l);
      }
      if (sum < least) least = sum, placement[i] = l;
    }
  }
  return placement;
}

}  // namespace woa::assign
