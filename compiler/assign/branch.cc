#include "compiler/assign/branch.h"

#include <algorithm>
#include <optional>

#include "compiler/assign/local_search.h"
#include "compiler/assign/neighbours.h"
#include "compiler/assign/priced.h"
#include "compiler/assign/row_prices.h"
#include "compiler/assign/symmetry.h"

namespace woa::assign {
namespace {

constexpr Cost kMostScale = 1 << 16, kMostProduct = Cost{1} << 56;  // so that prices fit 64 bits, by far
constexpr std::size_t kMostDepthBytes = 128 << 20, kMostLeafBytes = 64 << 20;
constexpr std::uint32_t kRootSteps = 300, kSteps = 12;

class Search {
 public:
  Search(const Problem& problem, const Placement& start, const BranchOptions& options)
      : problem_(problem),
        neighbours_(problem),
        twins_(twins(problem)),
        end_(std::chrono::steady_clock::now() + options.limit),
        near_ppm_(options.near_ppm),
        most_leaves_(std::clamp<std::size_t>(kMostLeafBytes / bytes_of(problem), 1, options.most_leaves)),
        most_fixings_(std::clamp<std::size_t>(kMostDepthBytes / (2 * bytes_of(problem)), 1, kMostFixings)) {
    out_.placement = start;
    value_ = options.below ? *options.below : evaluate(problem, start).objective;
  }

  Branched run() {
    Multipliers messages = no_multipliers(problem_);
    messages.scale = std::clamp<Cost>(kMostProduct / largest_cost(), 1, kMostScale);
    go_down(messages, kRootSteps);
    if (cut_short_) out_.proof.leaves = {{{}, std::move(root_)}};
    if (!cut_short_) out_.bound = value_;
    return std::move(out_);
  }

 private:
  // Of multipliers.
  static std::size_t bytes_of(const Problem& problem) {
    constexpr std::size_t kOfVector = 40;  // itself, and what its memory takes beside its elements
    return 2 * problem.edges.size() * (sizeof(Sum) * problem.components + kOfVector) + 1;
  }
  [[nodiscard]] Cost largest_cost() const {
    Cost most = 1;
    for (const auto& costs : problem_.nodes)
      for (const Cost cost : costs) most = std::max(most, cost == kForbidden ? 1 : cost);
    for (const Edge& edge : problem_.edges)
      for (const Cost cost : edge.cost) most = std::max(most, cost);
    return most;
  }
  // The case that fixings_ describe.
  void go_down(Multipliers messages, std::uint32_t steps) {
    ++out_.branches;
    const bool root = fixings_.empty();
    RowSearch found = price_rows(problem_, messages, value_, {steps, end_, root ? near_ppm_ : 0});
    if (root) out_.bound = found.bound, root_ = found.best;
    take(std::move(found.placement), root && found.bound < value_);
    if (found.bound >= value_) return out_.proof.leaves.push_back({fixings_, std::move(found.best)});
    cut_short_ = cut_short_ || std::chrono::steady_clock::now() > end_ || out_.proof.leaves.size() >= most_leaves_ ||
                 fixings_.size() >= most_fixings_;
    cut_short_ = cut_short_ || (root && is_near(found.bound, value_, near_ppm_));
    if (cut_short_) return;
    const std::optional<std::uint32_t> chosen = choose(messages);
    if (!chosen) return add_settled();
    found.best = {};
    const std::uint32_t node = *chosen;
    const std::vector<Cost> costs = problem_.nodes[node];
    for (std::uint32_t l = 0; l < problem_.components && !cut_short_; ++l) {
      if (costs[l] == kForbidden || has_stand_in(twins_, used_, l)) continue;
      problem_.nodes[node].assign(problem_.components, kForbidden);
      problem_.nodes[node][l] = costs[l];
      fixings_.push_back({node, l}), used_.push_back(l);
      go_down(messages, kSteps);
      fixings_.pop_back(), used_.pop_back();
    }
    problem_.nodes[node] = costs;
  }
  void take(Placement placement, bool thorough) {
    if (placement.empty()) return;
    if (thorough) placement = improve(problem_, std::move(placement), {.seed = 1, .rounds = 0, .end = end_});
    const Value value = evaluate(problem_, placement);
    if (value.feasible && value.objective < value_) value_ = value.objective, out_.placement = std::move(placement);
  }
  void add_settled() {
    Multipliers prices = settled();
    const auto bound = lower_bound(problem_, prices);
    cut_short_ = !bound.ok() || *bound < value_;  // prices may not be as high as that would take
    if (!cut_short_) out_.proof.leaves.push_back({fixings_, std::move(prices)});
  }
  // Where every node has one place: the row that is overloaded, or the largest one, is what counts.
  [[nodiscard]] Multipliers settled() const {
    Placement only;
    for (const auto& costs : problem_.nodes)
      only.push_back(static_cast<std::uint32_t>(std::ranges::min_element(costs) - costs.begin()));
    Multipliers prices = no_multipliers(problem_);
    Sum largest = -1;
    Cost* best = nullptr;
    for (std::size_t r = 0; r < problem_.rows.size(); ++r) {
      const Row& row = problem_.rows[r];
      const Sum load = sum_of(row, problem_, only);
      if (row.limit && load > *row.limit)
        prices.rows[r] = static_cast<Cost>(std::min<Sum>(kMostRowPrice, value_ / (load - *row.limit) + 1));
      if (!row.limit && problem_.objective == Objective::kLargestRow && load > largest)
        largest = load, best = &prices.rows[r];
    }
    if (best != nullptr) *best += 1;
    const Sum sum = evaluate(problem_, only).sum;
    if (problem_.most_sum && sum > *problem_.most_sum)
      prices.sum = static_cast<Cost>(std::min<Sum>(kMostRowPrice, value_ / (sum - *problem_.most_sum) + 1));
    return prices;
  }
  // The node that is least sure of its place; none where all have but one.
  [[nodiscard]] std::optional<std::uint32_t> choose(const Multipliers& messages) const {
    const Priced priced(problem_, messages);
    std::optional<std::uint32_t> chosen;
    Sum closest = kNowhere;
    for (std::uint32_t i = 0; i < problem_.nodes.size(); ++i) {
      Sum best = kNowhere, second = kNowhere;
      for (std::uint32_t l = 0; l < problem_.components; ++l) {
        if (problem_.nodes[i][l] == kForbidden) continue;
        Sum here = priced.node(i, l);
        for (const std::uint32_t e : neighbours_.of(i))
          here += (problem_.edges[e].from == i ? messages.from : messages.to)[e][l];
        if (here < best)
          second = best, best = here;
        else
          second = std::min(second, here);
      }
      if (second == kNowhere) continue;  // it has one place
      const Sum margin = (second - best) / static_cast<Sum>(neighbours_.of(i).size() + 1);
      if (margin < closest) closest = margin, chosen = i;
    }
    return chosen;
  }

  Problem problem_;  // with the fixings of the branch applied
  Neighbours neighbours_;
  std::vector<std::uint32_t> twins_;
  std::chrono::steady_clock::time_point end_;
  Cost near_ppm_;
  std::uint64_t most_leaves_;
  std::size_t most_fixings_;
  std::vector<Fixing> fixings_;
  std::vector<std::uint32_t> used_;  // their components
  Multipliers root_;                 // of no fixing
  Sum value_ = 0;
  bool cut_short_ = false;
  Branched out_;
};

}  // namespace

Branched branch_and_bound(const Problem& problem, const Placement& start, const BranchOptions& options) {
  return Search(problem, start, options).run();
}

}  // namespace woa::assign
