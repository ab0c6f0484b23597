#include "compiler/place/legs.h"

#include <set>
#include <utility>

#include "runtime/plan/plan.h"

namespace woa {

Callers callers_of(const CostTable& table) {
  Callers callers(table.stages.size());
  for (const EdgeCosts& edge : table.edges)
    if (edge.calls && edge.to < callers.size() && !callers[edge.to]) callers[edge.to] = edge.from;
  return callers;
}

// The first output on a return adds no message, each further one adds one (runtime/call_models/call_model.h).
std::vector<Leg> legs_of(const CostTable& table, std::string_view model, const Callers& callers) {
  std::vector<Leg> legs;
  std::set<std::uint32_t> ridden;  // stages whose return has an output
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const EdgeCosts& edge = table.edges[e];
    const bool to_sink = edge.to == kSinkStage;
    if (!to_sink || !call_model(model).nested || callers.empty()) {
      legs.push_back({edge, e, to_sink ? LegKind::kToSink : edge.count ? LegKind::kCount : LegKind::kToken});
      continue;
    }
    std::uint32_t stage = edge.from;
    for (std::size_t passed = 0; passed < callers.size() && callers[stage]; ++passed) {  // a valid plan ends sooner
      Leg leg{edge, e, ridden.insert(stage).second ? LegKind::kRide : LegKind::kNextRide};
      leg.costs.from = stage, leg.costs.to = stage = *callers[stage];
      legs.push_back(std::move(leg));
    }
  }
  return legs;
}

Route route_of_leg(std::string_view model, std::uint32_t from, std::uint32_t to, LegKind kind) noexcept {
  if (kind != LegKind::kRide && kind != LegKind::kNextRide)
    return route_of_token(model, from, to, kind == LegKind::kToSink, kind == LegKind::kCount);
  Route route;
  route.add({from, to, true, kind == LegKind::kNextRide});
  return route;
}

}  // namespace woa
