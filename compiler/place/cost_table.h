// The costs of a graph on a machine, from its profile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/certificate/cost_table.h"
#include "compiler/check/graph.h"
#include "compiler/parse/machine.h"
#include "compiler/parse/profile.h"

namespace woa {

// Components are the host, then the machine's controllers and those that only pins name. A stage may run where its pin
// (a controller, or any of a kind), its kernel's variants and its needs allow it and the profile has a time for it
// (time_on(); `busy`: of controllers with several workers, while all of them work). Replicas are stages as in the plan,
// each with its share of firings and tokens. Reports stages that have no place, with what the profile lacks. `profile`
// is of this graph (compiler/check/profile_fit.h). Returns nothing after a report.
struct Costs {
  CostTable table;
  std::vector<MachineController> controllers;  // by component
};
std::optional<Costs> make_cost_table(const Graph& graph, const Machine& machine, const Profile& profile, bool busy,
                                     Report& report);

// 16 hexadecimal digits that tell tables apart.
std::string hash_of(const CostTable& table);

}  // namespace woa
