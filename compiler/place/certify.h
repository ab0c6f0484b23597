// Makes certificates of placements; compiler/verify/certificate.cc checks them.
#pragma once

#include "compiler/certificate/certificate.h"
#include "compiler/place/solver/solve.h"

namespace woa {

// True if a certificate can hold the number.
bool fits(Sum number) noexcept;

// `solution`: of placement_problem(costs, goal), or of copy_problem() after write_out_copies().
Certificate certify(const PlacementGoal& goal, CostTable costs, const assign::Solution& solution);

// The proof of the certificate's bound, for a problem with `components` components.
assign::Proof proof_of(const Certificate& certificate, std::size_t components);

}  // namespace woa
