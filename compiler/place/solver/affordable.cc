#include "compiler/place/solver/affordable.h"

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_set>

#include "compiler/place/solver/symmetry.h"

namespace woa::assign {
namespace {

constexpr std::size_t kMostSets = std::size_t{1} << 18;  // searched

ComponentSet places_of(const std::vector<Cost>& costs) {
  ComponentSet set = 0;
  for (std::uint32_t l = 0; l < costs.size(); ++l)
    if (costs[l] != kForbidden) set |= set_of(l);
  return set;
}

Sum cost_of(const Fee& fee, ComponentSet set) {
  Sum sum = 0;
  for (; set != 0; set &= set - 1) sum += fee.of[static_cast<std::size_t>(std::countr_zero(set))];
  return sum;
}

}  // namespace

Affordable::Affordable(const Problem& problem) : problem_(problem), twins_(twins(problem)) {
  std::set<ComponentSet> places;
  for (const auto& costs : problem.nodes) places.insert(places_of(costs));
  places_.assign(places.begin(), places.end());
  for (const ComponentSet set : places_) {
    usable_ |= set;
    if (std::has_single_bit(set)) needed_ |= set;
  }
}

bool Affordable::within(ComponentSet set) const {
  return std::ranges::all_of(problem_.fees, [&](const Fee& fee) { return cost_of(fee, set) <= fee.most; });
}

// Adds `component` and the usable ones before it that are interchangeable with it.
ComponentSet Affordable::with(ComponentSet set, std::uint32_t component) const {
  for (std::uint32_t l = 0; l <= component; ++l)
    if (twins_[l] == twins_[component] && (usable_ & set_of(l)) != 0) set |= set_of(l);
  return set;
}

Result<std::optional<ComponentSet>> Affordable::uncovered(std::span<const ComponentSet> closed) const {
  std::unordered_set<ComponentSet> seen;
  std::vector<ComponentSet> open;
  const auto look_at = [&](ComponentSet set) {
    if (within(set) && seen.insert(set).second) open.push_back(set);
  };
  look_at(needed_);
  while (!open.empty()) {
    if (seen.size() > kMostSets)
      return {Code::kExhausted, "more than " + std::to_string(kMostSets) + " sets of components can be afforded"};
    const ComponentSet set = open.back();
    open.pop_back();
    const auto apart = std::ranges::find_if(closed, [&](ComponentSet each) { return (each & set) == 0; });
    if (apart == closed.end()) return std::optional(set);
    for (ComponentSet left = *apart & usable_; left != 0; left &= left - 1)
      look_at(with(set, static_cast<std::uint32_t>(std::countr_zero(left))));
  }
  return std::optional<ComponentSet>();
}

ComponentSet Affordable::closed_beside(ComponentSet set) const {
  for (std::uint32_t l = 0; l < problem_.components; ++l)
    if ((usable_ & set_of(l)) != 0 && within(set | set_of(l))) set |= set_of(l);
  return usable_ & ~set;
}

std::optional<Sum> Affordable::least(const Fee& fee) const {
  std::unordered_set<ComponentSet> seen{0};
  std::vector<ComponentSet> open{0};
  std::optional<Sum> least;
  while (!open.empty()) {
    if (seen.size() > kMostSets) return std::nullopt;
    const ComponentSet set = open.back();
    open.pop_back();
    if (least && cost_of(fee, set) >= *least) continue;
    const auto homeless = std::ranges::find_if(places_, [&](ComponentSet places) { return (places & set) == 0; });
    if (homeless == places_.end()) {
      least = cost_of(fee, set);
      continue;
    }
    for (ComponentSet left = *homeless; left != 0; left &= left - 1)
      if (const ComponentSet more = set | (left & -left); seen.insert(more).second) open.push_back(more);
  }
  return least;
}

Problem without(const Problem& problem, ComponentSet closed) {
  Problem open = problem;
  open.fees.clear();
  for (auto& costs : open.nodes)
    for (ComponentSet left = closed; left != 0; left &= left - 1)
      if (const auto l = static_cast<std::size_t>(std::countr_zero(left)); l < costs.size()) costs[l] = kForbidden;
  return open;
}

bool is_homeless(const Problem& problem) {
  return std::ranges::any_of(problem.nodes, [](const std::vector<Cost>& costs) {
    return std::ranges::all_of(costs, [](Cost cost) { return cost == kForbidden; });
  });
}

}  // namespace woa::assign
