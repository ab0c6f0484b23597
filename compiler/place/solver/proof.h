// A proof that no placement is better: a tree of cases, each with a bound that anybody can compute. A case that equals
// another one with two components swapped (symmetry.h) may be missing. If components have fees, each case of
// affordable.h has such a tree.
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

// A case: no node is on some components, and some nodes are where the fixings say.
struct Leaf {
  std::vector<Fixing> fixings;  // from the root of the tree on
  Multipliers multipliers;
  ComponentSet closed = 0;
};

struct Proof {
  // In depth-first order, tree after tree; none: nothing is proved. A tree in which a node has no place is one leaf,
  // whose multipliers do not count.
  std::vector<Leaf> leaves;
};

// The most leaves that verify() accepts and a search makes, so that even a proof made by hand is checked in seconds.
std::size_t most_leaves(const Problem& problem);
// For searches: the bytes of a leaf's multipliers, and the most leaves to hold, at least one if most_leaves() allows.
std::size_t bytes_of_leaf(const Problem& problem);
std::size_t most_leaves_held(const Problem& problem);

// Ok: no feasible placement of `problem` is below `value`. kInvalid: a case that no leaf covers, a leaf whose
// multipliers do not fit, or more leaves than most_leaves(). kDataLoss: a leaf whose bound is below `value`.
// kExhausted: too many affordable sets to search.
Status verify(const Problem& problem, const Proof& proof, Sum value);

}  // namespace woa::assign
