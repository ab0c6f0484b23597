#include "compiler/place/solver/symmetry.h"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace woa::assign {
namespace {

// The entries of a row that are not 0: rows with equal entries have the same sum for any placement.
struct SparseRow {
  std::size_t kind = 0;                                             // one for each limit, edge weights and groups
  std::vector<std::tuple<std::size_t, std::uint32_t, Cost>> nodes;  // node, component, weight; in order
  std::vector<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::size_t>> pairs;  // term, from, to, how often;
                                                                                          // in order
  auto operator<=>(const SparseRow&) const = default;
};

// All rows, with how often each occurs. A swap of two components concerns only the rows that name one of them.
class RowCounts {
 public:
  explicit RowCounts(const Problem& problem) : of_(problem.components) {
    using Weights = std::vector<std::pair<std::vector<Cost>, std::vector<Cost>>>;  // by term
    using Kind = std::tuple<std::optional<Cost>, Weights, std::vector<std::uint32_t>>;
    std::map<Kind, std::size_t> kinds;
    for (const Row& row : problem.rows) {
      Weights weights;
      for (const RowTerm& term : row.terms) weights.emplace_back(term.edges, term.back);
      Kind kind(row.limit, std::move(weights), row.shared);
      add(sparse(problem, row, kinds.try_emplace(std::move(kind), kinds.size()).first->second));
    }
  }
  // Are the rows the same, and as often, with the two components swapped?
  [[nodiscard]] bool stay(std::uint32_t a, std::uint32_t b) const {
    const auto stays = [&](const Entry* entry) {
      const auto other = counts_.find(swapped(entry->first, a, b));
      return other != counts_.end() && other->second == entry->second;
    };
    return std::ranges::all_of(of_[a], stays) && std::ranges::all_of(of_[b], stays);
  }

 private:
  using Entry = std::pair<const SparseRow, std::size_t>;

  static SparseRow sparse(const Problem& problem, const Row& row, std::size_t kind) {
    const std::uint32_t k = problem.components;
    SparseRow out{kind, {}, {}};
    for (std::size_t at = 0; at < row.nodes.size(); ++at)
      if (row.nodes[at] != 0) out.nodes.emplace_back(at / k, static_cast<std::uint32_t>(at % k), row.nodes[at]);
    for (std::size_t t = 0; t < row.terms.size(); ++t)
      for (std::uint32_t at = 0; at < row.terms[t].pairs.size(); ++at)
        if (const std::size_t times = row.terms[t].pairs[at]; times != 0)
          out.pairs.emplace_back(t, at / k, at % k, times);
    return out;
  }
  static SparseRow swapped(SparseRow row, std::uint32_t a, std::uint32_t b) {
    const auto swap = [&](std::uint32_t& component) {
      component = component == a ? b : component == b ? a : component;
    };
    for (auto& [node, component, weight] : row.nodes) swap(component);
    for (auto& [term, from, to, times] : row.pairs) swap(from), swap(to);
    std::ranges::sort(row.nodes), std::ranges::sort(row.pairs);
    return row;
  }
  void add(SparseRow row) {
    const auto [entry, is_new] = counts_.try_emplace(std::move(row), 0);
    ++entry->second;
    if (!is_new) return;
    std::set<std::uint32_t> named;
    for (const auto& [node, component, weight] : entry->first.nodes) named.insert(component);
    for (const auto& [term, from, to, times] : entry->first.pairs) named.insert(from), named.insert(to);
    for (const std::uint32_t component : named) of_[component].push_back(&*entry);
  }

  std::map<SparseRow, std::size_t> counts_;
  std::vector<std::vector<const Entry*>> of_;  // by component: the rows that name it
};

class Swap {
 public:
  Swap(const Problem& problem, const RowCounts& rows, std::uint32_t a, std::uint32_t b)
      : problem_(problem), rows_(rows), a_(a), b_(b) {}

  // Does the swap change nothing?
  [[nodiscard]] bool is_symmetry() const {
    const std::size_t k = problem_.components;
    for (const auto& costs : problem_.nodes)
      if (costs[a_] != costs[b_]) return false;
    for (const Fee& fee : problem_.fees)
      if (fee.of[a_] != fee.of[b_]) return false;
    for (const Edge& edge : problem_.edges)
      for (std::uint32_t x = 0; x < k; ++x)
        for (const std::uint32_t y : {a_, b_}) {
          if (edge.cost[x * k + y] != edge.cost[of(x) * k + of(y)]) return false;
          if (edge.cost[y * k + x] != edge.cost[of(y) * k + of(x)]) return false;
        }
    return rows_.stay(a_, b_);
  }

 private:
  [[nodiscard]] std::uint32_t of(std::uint32_t component) const noexcept {
    if (component == a_) return b_;
    return component == b_ ? a_ : component;
  }

  const Problem& problem_;
  const RowCounts& rows_;
  std::uint32_t a_, b_;
};

}  // namespace

std::vector<std::uint32_t> twins(const Problem& problem) {
  const RowCounts rows(problem);
  std::vector<std::uint32_t> first(problem.components);
  for (std::uint32_t l = 0; l < problem.components; ++l) {
    first[l] = l;
    for (std::uint32_t other = 0; other < l && first[l] == l; ++other)
      if (first[other] == other && Swap(problem, rows, other, l).is_symmetry()) first[l] = other;
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
