#include "compiler/place/edge_terms.h"

#include <algorithm>
namespace woa {
namespace {

using assign::Row;
using assign::RowTerm;

// A clamped weight breaks its limit, or the problem's check.
void put(Cost& weight, Cost more) { weight = std::min(kMostCost, weight + more); }

void put(std::vector<Cost>& weights, const std::vector<Cost>& more) {
  for (std::size_t e = 0; e < weights.size(); ++e) put(weights[e], more[e]);
}

bool is_nothing(const RowTerm& term) {
  const auto is_zero = [](auto number) { return number == 0; };
  return std::ranges::all_of(term.edges, is_zero) && std::ranges::all_of(term.back, is_zero);
}

// Adds a term to those of a row; terms with the same pairs become one.
void add_term(std::vector<RowTerm>& terms, RowTerm term) {
  if (is_nothing(term)) return;
  const auto same = std::ranges::find(terms, term.pairs, &RowTerm::pairs);
  if (same == terms.end()) return terms.push_back(std::move(term));
  put(same->edges, term.edges), put(same->back, term.back);
}

// Makes one of terms with the same weights: the fewer terms, the less work the bound has.
void join_terms(std::vector<RowTerm>& terms) {
  std::vector<RowTerm> joined;
  for (RowTerm& term : terms) {
    const auto same = std::ranges::find_if(
        joined, [&](const RowTerm& other) { return other.edges == term.edges && other.back == term.back; });
    if (same == joined.end()) {
      joined.push_back(std::move(term));
      continue;
    }
    for (std::size_t pair = 0; pair < term.pairs.size(); ++pair)
      same->pairs[pair] = static_cast<std::uint8_t>(same->pairs[pair] + term.pairs[pair]);
  }
  terms = std::move(joined);
}

bool are_alike(const Passing& a, const Passing& b) {
  return a.kind == b.kind && a.hop.called == b.hop.called && a.hop.asks == b.hop.asks;
}

}  // namespace

EdgeTerms::EdgeTerms(const CostTable& table, const std::vector<Leg>& legs, const assign::Problem& problem,
                     const Joined& joined, std::string_view model)
    : legs_(legs), problem_(problem), joined_(joined), k_(table.components.size()) {
  for (const LegKind kind : {LegKind::kToken, LegKind::kCount, LegKind::kToSink, LegKind::kRide, LegKind::kNextRide}) {
    if (std::ranges::find(legs, kind, &Leg::kind) == legs.end()) continue;
    for (std::uint32_t a = 0; a < k_; ++a)
      for (std::uint32_t b = 0; b < k_; ++b) {
        const Route route = route_of_leg(model, a, b, kind);
        for (const Hop& hop : route.hops()) passings_.push_back({kind, hop, std::size_t{a} * k_ + b});
      }
  }
}

void EdgeTerms::add(Row& row, std::span<const Passing> hops, const std::function<Cost(const Crossing&)>& weight) const {
  std::vector<Passing> kinds;
  for (const Passing& hop : hops)
    if (std::ranges::none_of(kinds, [&](const Passing& kind) { return are_alike(kind, hop); })) kinds.push_back(hop);
  for (const Passing& kind : kinds) add_alike(row, hops, kind, weight);
  join_terms(row.terms);
}

void EdgeTerms::add_alike(Row& row, std::span<const Passing> hops, const Passing& like,
                          const std::function<Cost(const Crossing&)>& weight) const {
  const std::size_t k = k_;
  const std::vector<Cost> none(problem_.edges.size(), 0);
  RowTerm term{std::vector<std::uint8_t>(k * k, 0), none, none};
  for (const Passing& hop : hops)
    if (are_alike(like, hop)) term.pairs[hop.pair] = static_cast<std::uint8_t>(term.pairs[hop.pair] + hop.times);
  for (const Leg& leg : legs_) {
    const EdgeCosts& edge = leg.costs;
    if (leg.kind != like.kind) continue;
    const Cost more = weight(crossing(like.hop, edge));
    if (edge.from != edge.to) {
      const std::size_t e = joined_.at(std::minmax(edge.from, edge.to));
      put((edge.from == problem_.edges[e].from ? term.edges : term.back)[e], more);
      continue;
    }
    for (std::size_t l = 0; l < k; ++l)
      if (term.pairs[l * k + l] != 0) put(row.nodes[edge.from * k + l], term.pairs[l * k + l] * more);
  }
  add_term(row.terms, std::move(term));
}

}  // namespace woa
