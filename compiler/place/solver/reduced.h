// A problem without what is settled: nodes that have one place, and components that no other node may be on. The host,
// with the source and the sink of a graph, is gone then, and what is left may be a forest, or have two components.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

class Reduced {
 public:
  // `original`: sum_alone(). It must stay.
  explicit Reduced(const Problem& original);

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  // The optimum of the reduced problem as one of the original, with its proof.
  [[nodiscard]] Solved lift(const Solved& solved) const;

 private:
  void fold(std::uint32_t edge);

  const Problem& original_;
  Problem problem_;
  std::vector<std::uint32_t> components_;  // of the original, by component
  std::vector<std::uint32_t> nodes_;       // likewise
  std::vector<std::uint32_t> edges_;       // likewise
  std::vector<std::uint32_t> only_;        // by node of the original: its one place, or kFree
  Multipliers folded_;                     // of the original's edges that are not in the reduced problem
};

}  // namespace woa::assign
