// The test oracle of certificates: every placement is tried.
#pragma once

#include <algorithm>

#include "compiler/place/placement_problem.h"
#include "runtime/plan/plan.h"
#include "tests/unit/compiler/assign/brute_force.h"

namespace woa::test {

// Are the stages where the certificate says, and is what it says of them so? Of relays, which call models add, it says
// nothing.
inline bool is_true(const Plan& plan) {
  const Certificate& certificate = *plan.certificate;
  const auto problem = placement_problem(certificate.costs, certificate.goal);
  if (!problem.ok() || certificate.placement.size() != problem->nodes.size() ||
      certificate.placement.size() > plan.stages.size())
    return false;
  for (std::size_t s = 0; s < certificate.placement.size(); ++s)
    if (certificate.costs.components.at(certificate.placement[s]).controller !=
        plan.controllers.at(plan.stages[s].controller).name)
      return false;
  const assign::Value value = assign::evaluate(*problem, certificate.placement);
  const auto optimum = assign::test::brute_force(*problem);
  const bool proved = certificate.status == "proved";
  return value.feasible && value.objective == certificate.value_ps && certificate.bound_ps <= *optimum &&
         (!proved || certificate.value_ps == *optimum);
}

}  // namespace woa::test
