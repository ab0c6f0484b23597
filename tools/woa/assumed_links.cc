#include "tools/woa/assumed_links.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "compiler/place/call_route.h"

namespace woa::tools {
namespace {

// By component, the smaller first.
using Links = std::set<std::pair<std::uint32_t, std::uint32_t>>;

void add_assumed(const CostTable& costs, const Route& route, Links& found) {
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    if (costs.links[from * costs.components.size() + to].assumed) found.insert(std::minmax(from, to));
  };
  for (const Hop& hop : route.hops()) {
    add(hop.from, hop.to);
    if (costs.links[hop.from * costs.components.size() + hop.to].direct) continue;
    add(hop.from, kHostComponent), add(kHostComponent, hop.to);
  }
}

}  // namespace

std::vector<std::string> assumed_links(const Certificate& certificate) {
  const CostTable& costs = certificate.costs;
  const std::vector<std::uint32_t>& at = certificate.placement;
  Links found;
  for (const std::uint32_t l : at) add_assumed(costs, route_of_firing(certificate.goal.model, l), found);
  for (const EdgeCosts& edge : costs.edges)
    if (edge.tokens > 0)
      add_assumed(costs,
                  route_of_token(certificate.goal.model, at[edge.from], at[edge.to], edge.to == kSinkStage, edge.count),
                  found);
  std::vector<std::string> names;
  for (const auto& [a, b] : found)
    names.push_back(costs.components[a].controller + " - " + costs.components[b].controller);
  return names;
}

}  // namespace woa::tools
