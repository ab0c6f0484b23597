// The problem as multipliers see it: costs by the scale, with what the rows' prices add.
#pragma once

#include <vector>

#include "compiler/assign/bound.h"

namespace woa::assign {

inline constexpr Sum kNowhere = Sum{1} << 120;  // where a node may not be

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

}  // namespace woa::assign
