// Linear functions of a placement, and what they come to at least while its nodes are put down one by one. What nodes
// share is divided (divided_weights()) as if none were down: the shares of those that are left only grow by it, so that
// whoever computes the bound of a case finds at least as much.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/neighbours.h"

namespace woa::assign {

// What multipliers make of costs and rows, as lower_bound() but for the scale.
struct LinearSum {
  Multipliers by;          // scale 0: the costs do not count
  bool objective = false;  // it bounds the objective; otherwise it is above 0 where a limit is broken
  Cost limit = 0;          // that is broken then
};

// Each row and limit that counts, and `more`, which is of the objective.
std::vector<LinearSum> sums_of(const Problem& problem, Multipliers more);

class SumTables {
 public:
  SumTables(const Problem& problem, const std::vector<LinearSum>& sums);

  // By sum, with every node where it is cheapest.
  [[nodiscard]] const std::vector<Sum>& least() const noexcept { return least_; }
  // From `before` to what it is with one more node down; `at`: kUnplaced, or where the nodes are that are down.
  void put(std::uint32_t node, std::uint32_t component, const std::vector<std::uint32_t>& at,
           const std::vector<Sum>& before, std::vector<Sum>& after) const;
  // Bytes that they take.
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
  // By node and component, edge and component of one end, edge and components of both: how much more than the least
  // of that node or edge. All sums of an entry lie in a row.
  std::vector<Sum> nodes_, from_, to_, both_;
};

}  // namespace woa::assign
