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

// Nodes are stages, components those of the table; source and sink are on the host. kInvalid: an unknown model or
// objective, a bound on the objective itself, a table with wrong sizes, or numbers too large for exact sums (the
// message names the stage or edge). `stages`: their names, for rows and messages; empty: numbers stand there.
Result<assign::Problem> placement_problem(const CostTable& table, const PlacementGoal& goal,
                                          const std::vector<std::string>& stages = {});

// "'resize'", or "2" if stages have no names.
std::string name_of_stage(const std::vector<std::string>& stages, std::size_t stage);

// The cost, in ps, of a route that `tokens` take with `bytes` of payload in all, both in millionths.
Sum cost_of(const CostTable& table, const Route& route, std::uint64_t tokens, std::uint64_t bytes);

// By stage: does it scatter? An edge takes the number of its elements to who gathers them.
std::vector<bool> stages_with_counts(const CostTable& table);

// The part of an edge's tokens and bytes, in millionths, that takes a hop.
struct Crossing {
  std::uint64_t tokens = 0, bytes = 0;
};
Crossing crossing(const Hop& hop, const EdgeCosts& edge);
// The cost, in ps, of a route that all tokens of an edge take.
Sum cost_of(const CostTable& table, const Route& route, const EdgeCosts& edge);

// The time, in ps, for which `bytes` of payload, in millionths, occupy a link; rounded up.
Sum transfer_ps(const LinkCosts& link, std::uint64_t bytes);

// Links, from and to, that the payload of a hop or a route crosses: one that is not direct is two, by way of the host.
std::vector<std::pair<std::uint32_t, std::uint32_t>> links_of(const CostTable& table, const Hop& hop);
std::vector<std::pair<std::uint32_t, std::uint32_t>> links_of(const CostTable& table, const Route& route);

}  // namespace woa
