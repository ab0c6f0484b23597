// Terms that edges add to rows of a placement problem: each hop of a token's route is counted with the part of the
// edge's tokens and bytes that takes it (crossing()).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/certificate/cost_table.h"
#include "compiler/place/legs.h"
#include "compiler/place/placement_problem.h"
#include "compiler/place/solver/problem.h"

namespace woa {

// A hop on the route between two components, for legs of one kind.
struct Passing {
  LegKind kind = LegKind::kToken;
  Hop hop;
  std::size_t pair = 0;    // component written from x components + component written to
  std::uint8_t times = 1;  // how often it counts
};

class EdgeTerms {
 public:
  using Joined = std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t>;  // edges of the problem by their ends
  // `problem` has its edges. Legs, problem and `joined` are borrowed.
  EdgeTerms(const CostTable& table, const std::vector<Leg>& legs, const assign::Problem& problem, const Joined& joined,
            std::string_view model);

  // All hops of all routes that the legs may take.
  [[nodiscard]] std::span<const Passing> passings() const noexcept { return passings_; }
  // Adds what the hops carry: `weight` of it for each time that a hop counts. Legs from a stage to itself add to the
  // row's nodes, which must be there.
  void add(assign::Row& row, std::span<const Passing> hops, const std::function<Cost(const Crossing&)>& weight) const;

 private:
  // Adds the hops that carry the same part of the same legs as `like`.
  void add_alike(assign::Row& row, std::span<const Passing> hops, const Passing& like,
                 const std::function<Cost(const Crossing&)>& weight) const;

  const std::vector<Leg>& legs_;
  const assign::Problem& problem_;
  const Joined& joined_;
  std::size_t k_;  // components
  std::vector<Passing> passings_;
};

}  // namespace woa
