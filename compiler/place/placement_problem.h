// The optimization problem that a cost table describes, under a call model.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/certificate/certificate.h"
#include "compiler/place/call_route.h"
#include "compiler/place/solver/problem.h"
#include "runtime/base/status.h"

namespace woa {

// Nodes are stages, components those of the table; source and sink have their place. kInvalid: no such model or
// objective, a bound on the objective itself, or numbers so large that sums of them would not be exact (the message
// names the stage or edge).
// `stages`: their names, for rows and messages; empty: they have numbers there.
Result<assign::Problem> placement_problem(const CostTable& table, const PlacementGoal& goal,
                                          const std::vector<std::string>& stages = {});

// "'resize'", or "2" where stages have no names.
std::string name_of_stage(const std::vector<std::string>& stages, std::size_t stage);

// What a way costs, in ps, that `tokens` take with `bytes` of payload in all, both in millionths.
assign::Sum cost_of(const CostTable& table, const Route& route, std::uint64_t tokens, std::uint64_t bytes);

// Of an edge's tokens and bytes, those that take a hop.
struct Crossing {
  std::uint64_t tokens = 0, bytes = 0;
};
Crossing crossing(const Hop& hop, const EdgeCosts& edge);
// What all tokens of an edge cost that take a way.
assign::Sum cost_of(const CostTable& table, const Route& route, const EdgeCosts& edge);

// For how long so many bytes of payload, in millionths, are on a link; rounded up.
assign::Sum transfer_ps(const LinkCosts& link, std::uint64_t bytes);

// Links, from and to, that the payload of a way goes over: one that is not direct is two, by way of the host.
std::vector<std::pair<std::uint32_t, std::uint32_t>> links_of(const CostTable& table, const Route& route);

// Whether some stage may run on more than one component.
bool has_choice(const CostTable& table);

// "20032.5 us", to six digits, as values of placements are shown everywhere.
std::string time_text(assign::Sum ps);

// "20032500ns" or "10ms": no less than it is.
std::string option_text(assign::Sum ps);

}  // namespace woa
