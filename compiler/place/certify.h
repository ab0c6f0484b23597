// Certificates of placements, written down. verify_certificate() (compiler.h) is beside it.
#pragma once

#include "compiler/assign/solve.h"
#include "runtime/plan/certificate.h"

namespace woa {

// `solution` is of placement_problem(costs, goal).
Certificate certify(const PlacementGoal& goal, CostTable costs, const assign::Solution& solution);

// Of its bound, as it was written down.
assign::Proof proof_of(const Certificate& certificate);

}  // namespace woa
