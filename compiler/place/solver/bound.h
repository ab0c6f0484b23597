// A lower bound that anybody can check: Lagrangian relaxation with given multipliers, in exact arithmetic.
//
// The relaxed problem is the flow formulation, in which an edge has a variable for each pair of components, and the
// sums over either end must be the node's variable (Spacey et al.; Koster et al., "The partial constraint satisfaction
// problem", 1998). Any multipliers of these sums, and any of rows that are not negative, leave a problem that falls
// apart into nodes and edges; its optimum is at most that of the original. The source of the multipliers, a linear
// program, a dynamic programme or a cut, is not trusted: their bound is computed here.
#pragma once

#include <vector>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

struct Multipliers {
  // Factor of the objective, at least 1. kSum: any, so that multipliers may be fractions of it; kLargestRow: the sum of
  // the multipliers of rows without a limit.
  Cost scale = 1;
  std::vector<std::vector<Sum>> from, to;  // by edge, then component of that end
  std::vector<Cost> rows;                  // at least 0; kSum: 0 for rows without a limit
  Cost sum = 0;                            // of the limit on the sum, at least 0
};

inline constexpr Cost kMostRowPrice = Cost{1} << 46;  // lower_bound() refuses larger multipliers of rows or the sum

// All multipliers 0, in the right sizes.
Multipliers no_multipliers(const Problem& problem);
// No feasible placement has a lower value. kInvalid: multipliers of wrong sizes, signs or scale.
Result<Sum> lower_bound(const Problem& problem, const Multipliers& multipliers);

inline constexpr Sum kNowhere = Sum{1} << 120;  // cost of a forbidden component

// The Lagrangian costs: costs times the scale, plus weights of rows times their multipliers.
class Priced {
 public:
  Priced(const Problem& problem, const Multipliers& by);

  // Without the multipliers of edges' ends. At least kNowhere if the node may not be there.
  [[nodiscard]] Sum node(std::uint32_t node, std::uint32_t component) const noexcept {
    return nodes_[std::size_t{node} * components_ + component];
  }
  [[nodiscard]] Sum edge(std::uint32_t edge, std::uint32_t at_from, std::uint32_t at_to) const noexcept {
    return edges_[(std::size_t{edge} * components_ + at_from) * components_ + at_to];
  }
  // Limits times their multipliers, to be subtracted from the bound.
  [[nodiscard]] Sum limits() const noexcept { return limits_; }

 private:
  void add(const RowTerm& term, Sum price);

  std::uint32_t components_;
  std::vector<Sum> nodes_, edges_;
  Sum limits_ = 0;
};

// Additions that Priced takes if all rows have multipliers; each leaf of a proof takes as many.
std::size_t steps_to_price(const Problem& problem);

// An optimum and its proof.
struct Solved {
  Placement placement;
  Multipliers proof;  // whose lower_bound() is the placement's value
};

}  // namespace woa::assign
