// Certificates of placements, written down; verify/certificate.cc checks them.
#pragma once

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/solve.h"

namespace woa {

// A certificate has room for such a number.
bool fits(assign::Sum number) noexcept;

// `solution` is of placement_problem(costs, goal), or what write_out_copies() made of one of copy_problem().
Certificate certify(const PlacementGoal& goal, CostTable costs, const assign::Solution& solution);

// Of its bound, as it was written down, for a problem with so many components.
assign::Proof proof_of(const Certificate& certificate, std::size_t components);

}  // namespace woa
