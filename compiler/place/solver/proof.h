// A proof that no placement is better: a tree of cases, each with a bound that anybody can compute. A case that is
// another one with two components in each other's place (symmetry.h) need not be there. Where components have fees
// there is such a tree for each case of affordable.h.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/solver/affordable.h"
#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

inline constexpr std::size_t kMostFixings = 1000;  // of a leaf

struct Fixing {
  std::uint32_t node = 0, component = 0;
  bool operator==(const Fixing&) const = default;
};

// The case that nobody is on some components, and some nodes are where the fixings say.
struct Leaf {
  std::vector<Fixing> fixings;  // from the root of the tree on
  Multipliers multipliers;
  ComponentSet closed = 0;
};

struct Proof {
  // In the order of a walk through the trees, one after the other; none: nothing is proved. A tree that leaves a node
  // no place is one leaf, whose multipliers do not count.
  std::vector<Leaf> leaves;
};

// So that a proof that was made by hand is checked in seconds: more leaves are not looked at, and none has more.
std::size_t most_leaves(const Problem& problem);
// For those who make one: what the multipliers of a leaf take, and how many of them are to be held, at least one.
std::size_t bytes_of_leaf(const Problem& problem);
std::size_t most_leaves_held(const Problem& problem);

// Ok: no feasible placement of `problem` is below `value`. Otherwise what the proof lacks: kInvalid a case that no leaf
// covers, a leaf whose multipliers do not fit, or more leaves than most_leaves(); kDataLoss a leaf whose bound is
// below.
Status verify(const Problem& problem, const Proof& proof, Sum value);

}  // namespace woa::assign
