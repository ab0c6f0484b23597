// A placement under construction or change, with the sums of its rows.
#pragma once

#include <compare>
#include <vector>

#include "compiler/place/solver/neighbours.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

// Less is better: first the excess over limits, then the objective, then, for kLargestRow, how unevenly its rows are
// loaded.
struct Score {
  Sum above = 0, objective = 0;
  long double squares = 0;
  auto operator<=>(const Score&) const = default;
};

inline constexpr std::uint32_t kUnplaced = ~std::uint32_t{0};

class Loads {
 public:
  // Nodes may be kUnplaced; they and their edges count nothing.
  Loads(const Problem& problem, const Neighbours& neighbours, Placement placement);

  // `component`: one where the node may be, or kUnplaced to take it out.
  void move(std::uint32_t node, std::uint32_t component);
  [[nodiscard]] Score score() const;
  [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

 private:
  void add(std::uint32_t node, int sign);
  void add_edge(std::uint32_t edge, int sign);
  // The weight that a node adds to a row as it comes (sign 1), or takes from it as it goes (-1).
  [[nodiscard]] Cost counted(std::size_t row, std::uint32_t node, int sign);

  const Problem& problem_;
  const Neighbours& neighbours_;
  Placement placement_;
  Sum sum_ = 0;
  std::vector<Sum> rows_;
  std::vector<std::vector<std::uint32_t>> sharing_;  // by row and group of Row::shared: how many placed nodes need it
};

}  // namespace woa::assign
