// A problem without nodes that have one place, and without components that no other node may use. It lacks the host,
// with a graph's source and sink, and may be a forest, or have two components.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

class Reduced {
 public:
  // `original`: sum_alone(); must outlive this.
  explicit Reduced(const Problem& original);

  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  // The optimum of the reduced problem as one of the original, with its proof.
  [[nodiscard]] Solved lift(const Solved& solved) const;

 private:
  void fold(std::uint32_t edge);

  const Problem& original_;
  Problem problem_;
  std::vector<std::uint32_t> components_;  // of the original, by component
  std::vector<std::uint32_t> nodes_;       // of the original, by node
  std::vector<std::uint32_t> edges_;       // of the original, by edge
  std::vector<std::uint32_t> only_;        // by node of the original: its one place, or kFree
  Multipliers folded_;                     // multipliers of the original's edges that the reduced problem lacks
};

}  // namespace woa::assign
