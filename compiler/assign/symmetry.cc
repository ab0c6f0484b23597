#include "compiler/assign/symmetry.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace woa::assign {
namespace {

class Swap {
 public:
  Swap(const Problem& problem, std::uint32_t a, std::uint32_t b) : problem_(problem), a_(a), b_(b) {}

  // Does nothing change?
  [[nodiscard]] bool is_symmetry() const {
    const std::size_t k = problem_.components;
    for (const auto& costs : problem_.nodes)
      if (costs[a_] != costs[b_]) return false;
    for (const Fee& fee : problem_.fees)
      if (fee.of[a_] != fee.of[b_]) return false;
    for (const Edge& edge : problem_.edges)
      for (std::uint32_t x = 0; x < k; ++x)
        for (std::uint32_t y = 0; y < k; ++y)
          if (edge.cost[x * k + y] != edge.cost[of(x) * k + of(y)]) return false;
    return each_row_is_there();
  }

 private:
  [[nodiscard]] std::uint32_t of(std::uint32_t component) const noexcept {
    if (component == a_) return b_;
    return component == b_ ? a_ : component;
  }
  // As often as it is there now.
  [[nodiscard]] bool each_row_is_there() const {
    std::vector<bool> taken(problem_.rows.size(), false);
    for (const Row& row : problem_.rows) {
      bool found = false;
      for (std::size_t r = 0; r < taken.size() && !found; ++r)
        if (!taken[r] && is_swapped(row, problem_.rows[r])) taken[r] = found = true;
      if (!found) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_swapped(const Row& one, const Row& other) const {
    if (std::tie(one.limit, one.edges, one.back, one.shared) !=
        std::tie(other.limit, other.edges, other.back, other.shared))
      return false;
    if (one.nodes.size() != other.nodes.size() || one.pairs.size() != other.pairs.size()) return false;
    const std::size_t k = problem_.components;
    for (std::size_t i = 0; i * k < one.nodes.size(); ++i)
      for (std::uint32_t l = 0; l < k; ++l)
        if (one.nodes[i * k + l] != other.nodes[i * k + of(l)]) return false;
    for (std::uint32_t x = 0; x * k < one.pairs.size(); ++x)
      for (std::uint32_t y = 0; y < k; ++y)
        if (one.pairs[x * k + y] != other.pairs[of(x) * k + of(y)]) return false;
    return true;
  }

  const Problem& problem_;
  std::uint32_t a_, b_;
};

}  // namespace

std::vector<std::uint32_t> twins(const Problem& problem) {
  std::vector<std::uint32_t> first(problem.components);
  for (std::uint32_t l = 0; l < problem.components; ++l) {
    first[l] = l;
    for (std::uint32_t other = 0; other < l && first[l] == l; ++other)
      if (first[other] == other && Swap(problem, other, l).is_symmetry()) first[l] = other;
  }
  return first;
}

bool has_stand_in(std::span<const std::uint32_t> twins, std::span<const std::uint32_t> used, std::uint32_t component) {
  const auto free = [&](std::uint32_t l) { return std::ranges::find(used, l) == used.end(); };
  if (!free(component)) return false;
  for (std::uint32_t other = 0; other < component; ++other)
    if (twins[other] == twins[component] && free(other)) return true;
  return false;
}

}  // namespace woa::assign
