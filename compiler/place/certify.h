// Certificates of placements, written down. verify_certificate() (compiler.h) is beside it.
#pragma once

#include "compiler/assign/solve.h"
#include "compiler/certificate/certificate.h"

namespace woa {

// `solution` is of placement_problem(costs, goal), or what write_out_copies() made of one of copy_problem().
Certificate certify(const PlacementGoal& goal, CostTable costs, const assign::Solution& solution);

// Of its bound, as it was written down, for a problem with so many components.
assign::Proof proof_of(const Certificate& certificate, std::size_t components);

}  // namespace woa
