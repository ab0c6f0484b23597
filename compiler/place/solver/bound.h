// A lower bound that anybody can check: Lagrangian relaxation with given multipliers, in exact arithmetic.
//
// The relaxation is that of the flow formulation, in which an edge has a variable for each pair of components, and the
// sums over either end must be the node's variable (Spacey et al.; Koster et al., "The partial constraint satisfaction
// problem", 1998). Pricing these sums by any multipliers, and rows by any that are not negative, leaves a problem that
// falls apart into nodes and edges; its optimum is at most that of the original. Whoever proposes the multipliers, a
// linear program, a dynamic programme or a cut, is not believed: what they are worth is computed here.
#pragma once

#include <vector>

#include "compiler/place/solver/problem.h"

namespace woa::assign {

struct Multipliers {
  // What the objective is counted by: kSum: 1 or more, so that prices may be fractions of it; kLargestRow: the sum of
  // the prices of the rows without a limit. At least 1.
  Cost scale = 1;
  std::vector<std::vector<Sum>> from, to;  // by edge, then component of that end
  std::vector<Cost> rows;                  // at least 0; kSum: 0 for rows without a limit
  Cost sum = 0;                            // of the sum where it has a limit, at least 0
};

inline constexpr Cost kMostRowPrice = Cost{1} << 46;  // and of the sum: more is refused

// All prices 0, of the right sizes.
Multipliers no_multipliers(const Problem& problem);
// No feasible placement is below. kInvalid: multipliers of other sizes, signs or scale.
Result<Sum> lower_bound(const Problem& problem, const Multipliers& multipliers);

inline constexpr Sum kNowhere = Sum{1} << 120;  // where a node may not be

// The problem as multipliers see it: costs by the scale, with what the rows' prices add.
class Priced {
 public:
  Priced(const Problem& problem, const Multipliers& by);

  // Without the prices of edges' ends. kNowhere where the node may not be.
  [[nodiscard]] Sum node(std::uint32_t node, std::uint32_t component) const noexcept {
    return nodes_[std::size_t{node} * components_ + component];
  }
  [[nodiscard]] Sum edge(std::uint32_t edge, std::uint32_t at_from, std::uint32_t at_to) const noexcept {
    return edges_[(std::size_t{edge} * components_ + at_from) * components_ + at_to];
  }
  // What the rows' limits are worth, to be taken off.
  [[nodiscard]] Sum limits() const noexcept { return limits_; }

 private:
  std::uint32_t components_;
  std::vector<Sum> nodes_, edges_;
  Sum limits_ = 0;
};

// What it takes to price a problem whose rows all have prices, in additions: so many for each leaf of a proof.
std::size_t steps_to_price(const Problem& problem);

// An optimum, and why it is one.
struct Solved {
  Placement placement;
  Multipliers proof;  // whose lower_bound() is the placement's value
};

}  // namespace woa::assign
