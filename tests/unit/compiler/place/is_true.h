// The test oracle of certificates: every placement is tried.
#pragma once

#include <optional>

#include "compiler/certificate/certificate.h"
#include "compiler/place/copy_problem.h"
#include "compiler/predict/prediction.h"
#include "tests/unit/compiler/place/solver/brute_force.h"

namespace woa::test {

// The least value of a placement under a certificate's costs and goal; nothing: they make no sense, or nothing keeps
// their limits.
inline std::optional<Sum> least_of(const Certificate& certificate) {
  const auto originals = without_copies(certificate.costs);
  if (!originals.ok()) return std::nullopt;
  const auto copies = copy_problem(originals->table, certificate.goal);
  return copies.ok() ? assign::test::brute_force(copies->problem) : std::nullopt;
}

// True if the stages are where the certificate says, and all that it says of them holds. `least`: its least_of(). It
// says nothing of relays, which call models add.
inline bool is_true(const CertifiedPlan& plan, const std::optional<Sum>& least) {
  const Certificate& certificate = *plan.certificate;
  const auto originals = without_copies(certificate.costs);
  if (!originals.ok() || !least || certificate.placement.size() != certificate.costs.stages.size() ||
      certificate.placement.size() > plan.stages.size())
    return false;
  for (std::size_t s = 0; s < certificate.placement.size(); ++s)
    if (certificate.costs.components.at(certificate.placement[s]).controller !=
        plan.controllers.at(plan.stages[s].controller).name)
      return false;
  const auto copies = copy_problem(originals->table, certificate.goal);
  const auto placement =
      copies.ok() ? placement_on(*copies, places_of(*originals, certificate.placement)) : std::nullopt;
  if (!placement) return false;
  const assign::Value value = assign::evaluate(copies->problem, *placement);
  const bool proved = certificate.status == "proved";
  const auto prediction = predict(plan);
  if (!prediction.ok() || *prediction != certificate.prediction) return false;
  return value.feasible && value.objective == certificate.value_ps && certificate.bound_ps <= *least &&
         (!proved || certificate.value_ps == *least);
}
inline bool is_true(const CertifiedPlan& plan) { return is_true(plan, least_of(*plan.certificate)); }

}  // namespace woa::test
