// How the tokens of an output get to its readers, as a plan has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/controller/layout.h"

namespace woa::test {

using Port = std::pair<std::uint32_t, std::uint32_t>;  // stage, number

struct Routes {
  std::map<Port, std::uint32_t> reached;           // readers' inputs: how often
  std::map<std::uint32_t, std::uint32_t> packets;  // by controller that receives them
  std::map<std::uint32_t, std::uint32_t> entries;  // packets from another site, by site
  std::uint32_t relays = 0;
  std::uint32_t depth = 0;   // packets one after another to the last reader
  std::uint32_t widest = 0;  // controllers of other sites that one controller sends to
};

inline void follow(const Plan& plan, const Sites& sites, Port from, std::uint32_t depth, Routes& routes) {
  const std::uint32_t here = plan.stages[from.first].controller;
  std::vector<std::uint32_t> others;
  for (const EdgePlan& edge : plan.edges) {
    if (Port(edge.from_stage, edge.from_port) != from) continue;
    const StagePlan& to = plan.stages[edge.to_stage];
    std::uint32_t below = depth;
    if (to.controller != here) {
      ++routes.packets[to.controller];
      ++below;
    }
    if (!sites.together(here, to.controller)) {
      ++routes.entries[sites.site(to.controller)];
      if (std::ranges::find(others, to.controller) == others.end()) others.push_back(to.controller);
    }
    routes.depth = std::max(routes.depth, below);
    if (to.role == StageRole::kRelay) {
      ++routes.relays;
      follow(plan, sites, {edge.to_stage, edge.to_port}, below, routes);
    } else {
      ++routes.reached[{edge.to_stage, edge.to_port}];
    }
  }
  routes.widest = std::max(routes.widest, static_cast<std::uint32_t>(others.size()));
}

inline Routes routes_of(const Plan& plan, const Sites& sites, Port output) {
  Routes routes;
  follow(plan, sites, output, 0, routes);
  return routes;
}

}  // namespace woa::test
