// Better multipliers without a solver: sequential tree-reweighted message passing (Kolmogorov, "Convergent
// tree-reweighted message passing for energy minimization", IEEE PAMI 28(10), 2006). Messages are the prices of the
// sums at the edges' ends; each pass visits the nodes in their order and back, and never makes the bound smaller, but
// for what rounding takes. It need not end at the best multipliers; where the edges make a forest it does.
#pragma once

#include <cstdint>

#include "compiler/assign/bound.h"

namespace woa::assign {

// `messages`: prices to begin with, which fit the problem, and then those to go on with; the scale and the rows' prices
// stay as they are. What they are worth shows in what is returned.
Multipliers ascend(const Problem& problem, Multipliers& messages, std::uint32_t passes);

}  // namespace woa::assign
