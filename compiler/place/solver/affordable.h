// Sets of components that a placement may use together if using a component has a fee (Fee).
//
// A bound on fees is split into cases. Each closes some components, and those left open can be used together within the
// fees' limits. The cases are complete if every affordable set is open in one of them: a subset of another set needs no
// case of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

using ComponentSet = std::uint64_t;  // bit l: component l
inline constexpr ComponentSet set_of(std::uint32_t component) noexcept { return ComponentSet{1} << component; }

class Affordable {
 public:
  // `problem`: at most kMostWithFees components; must outlive this.
  explicit Affordable(const Problem& problem);

  // An affordable set with at least one component of each of `closed`, so that no case covers it; nothing: the cases
  // are complete. Among interchangeable components (symmetry.h) it has the first ones. kExhausted: too many sets to
  // search.
  [[nodiscard]] Result<std::optional<ComponentSet>> uncovered(std::span<const ComponentSet> closed) const;
  // The components to close: all usable ones but `set` and what can be afforded beside it.
  [[nodiscard]] ComponentSet closed_beside(ComponentSet set) const;
  // The least fee of a set on which each node has a place; nothing: too many sets to search.
  [[nodiscard]] std::optional<Sum> least(const Fee& fee) const;

 private:
  [[nodiscard]] bool within(ComponentSet set) const;
  [[nodiscard]] ComponentSet with(ComponentSet set, std::uint32_t component) const;

  const Problem& problem_;
  std::vector<std::uint32_t> twins_;
  std::vector<ComponentSet> places_;  // of nodes, equal sets once
  ComponentSet usable_ = 0, needed_ = 0;
};

// The problem with the components of `closed` forbidden, and without fees.
Problem without(const Problem& problem, ComponentSet closed);
// True if a node has no place at all.
bool is_homeless(const Problem& problem);

}  // namespace woa::assign
