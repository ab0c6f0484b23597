// A placement that is being made or changed, with what its rows come to.
#pragma once

#include <compare>
#include <vector>

#include "compiler/place/solver/neighbours.h"
#include "compiler/place/solver/problem.h"

namespace woa::assign {

// Less is better: first what is above limits, then the objective, then, for kLargestRow, how unevenly its rows are
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

  // The node may be there, or is taken out.
  void move(std::uint32_t node, std::uint32_t component);
  [[nodiscard]] Score score() const;
  [[nodiscard]] const Placement& placement() const noexcept { return placement_; }

 private:
  void add(std::uint32_t node, int sign);
  void add_edge(std::uint32_t edge, int sign);
  // What a node that comes or goes adds to a row, or takes from it.
  [[nodiscard]] Cost counted(std::size_t row, std::uint32_t node, int sign);

  const Problem& problem_;
  const Neighbours& neighbours_;
  Placement placement_;
  Sum sum_ = 0;
  std::vector<Sum> rows_;
  std::vector<std::vector<std::uint32_t>>
      sharing_;  // by row and group of Row::shared: nodes that need it where they are
};

}  // namespace woa::assign
