// Linear functions of a placement, and their least values while its nodes are placed one by one. Shared weights are
// divided (divided_weights()) as if no node were placed. Placing nodes only raises the shares of the others, so that an
// exact bound of the case is at least as high.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/neighbours.h"

namespace woa::assign {

// The Lagrangian costs by some multipliers, as lower_bound() without its division by the scale.
struct LinearSum {
  Multipliers by;          // scale 0: the costs do not count
  bool objective = false;  // bounds the objective; false: is above 0 if a limit is broken
  Cost limit = 0;          // that limit
};

// A sum for `more`, which bounds the objective, and for each row and limit that counts.
std::vector<LinearSum> sums_of(const Problem& problem, Multipliers more);

class SumTables {
 public:
  SumTables(const Problem& problem, const std::vector<LinearSum>& sums);

  // By sum: the least value before any node is placed.
  [[nodiscard]] const std::vector<Sum>& least() const noexcept { return least_; }
  // Updates the least values from `before` to `after`, with one more node placed; `at`: by node, its component or
  // kUnplaced.
  void put(std::uint32_t node, std::uint32_t component, const std::vector<std::uint32_t>& at,
           const std::vector<Sum>& before, std::vector<Sum>& after) const;
  // Bytes of the tables.
  static std::size_t size(const Problem& problem, std::size_t sums);

 private:
  void add(const Multipliers& by, std::size_t sum);
  void add_edge(const Multipliers& by, std::size_t sum, std::uint32_t edge, const class Priced& priced);
  [[nodiscard]] const Sum* node(std::size_t i, std::uint32_t l) const { return &nodes_[(i * k_ + l) * count_]; }
  [[nodiscard]] const Sum* end(std::size_t e, bool from, std::uint32_t l) const {
    return &(from ? from_ : to_)[(e * k_ + l) * count_];
  }
  [[nodiscard]] const Sum* edge(std::size_t e, std::uint32_t a, std::uint32_t b) const {
    return &both_[((e * k_ + a) * k_ + b) * count_];
  }

  const Problem& problem_;
  Neighbours neighbours_;
  std::size_t k_, count_;
  std::vector<Sum> least_;
  // Excess over the least of a node by its component, of an edge by the component of one end, and of an edge by those
  // of both. All sums of an entry lie in a row.
  std::vector<Sum> nodes_, from_, to_, both_;
};

}  // namespace woa::assign
