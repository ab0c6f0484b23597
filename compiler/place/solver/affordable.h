// Which components a placement may use together, where using one costs something whatever is on it (Fee).
//
// A bound on fees is taken apart into cases: in each some components are closed, and with what is left open the fees
// are kept. The cases cover all if whatever can be afforded is open in one of them: sets that are part of another one
// need no case of their own.
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
  // `problem`: at most kMostWithFees components. It must stay.
  explicit Affordable(const Problem& problem);

  // Components that a placement within the fees may use, with one at least of each of `closed`; nothing: there are none
  // such, the cases cover all. Of components that may change places (symmetry.h) the first are used. kExhausted: there
  // are too many sets to be looked through.
  [[nodiscard]] Result<std::optional<ComponentSet>> uncovered(std::span<const ComponentSet> closed) const;
  // Everything but `set` and what can be afforded beside it.
  [[nodiscard]] ComponentSet closed_beside(ComponentSet set) const;
  // The least that a set costs on which each node has a place; nothing: there are too many to be looked through.
  [[nodiscard]] std::optional<Sum> least(const Fee& fee) const;

 private:
  [[nodiscard]] bool within(ComponentSet set) const;
  [[nodiscard]] ComponentSet with(ComponentSet set, std::uint32_t component) const;

  const Problem& problem_;
  std::vector<std::uint32_t> twins_;
  std::vector<ComponentSet> places_;  // of nodes, each set once
  ComponentSet usable_ = 0, needed_ = 0;
};

// Nobody may be on the components of `closed`, and fees are kept.
Problem without(const Problem& problem, ComponentSet closed);
// Does a node have no place at all?
bool is_homeless(const Problem& problem);

}  // namespace woa::assign
