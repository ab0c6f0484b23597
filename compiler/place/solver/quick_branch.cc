#include "compiler/place/solver/quick_branch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/place/solver/loads.h"
#include "compiler/place/solver/row_prices.h"
#include "compiler/place/solver/sum_tables.h"
#include "compiler/place/solver/symmetry.h"

namespace woa::assign {
namespace {

constexpr std::size_t kMostTableBytes = 32 << 20;
constexpr std::uint64_t kMostWork = 500'000'000;  // additions, or what takes as long

// Steps for the root's multipliers, which beat single rows if there are many nodes.
std::uint32_t root_steps(const Problem& problem) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(2 * problem.nodes.size(), 30, 300));
}

class QuickSearch {
 public:
  QuickSearch(const Problem& problem, RowSearch root, const QuickOptions& options)
      : problem_(problem),
        end_(options.end),
        most_leaves_(std::min(most_leaves_held(problem), options.most_leaves)),
        twins_(twins(problem)),
        sums_(sums_of(problem, std::move(root.best))),
        tables_(problem, sums_),
        at_(problem.nodes.size(), kUnplaced) {
    for (std::uint32_t i = 0; i < at_.size(); ++i) put_down_if_settled(i);
    const std::size_t ends = 2 * problem.edges.size();
    work_of_choice_ = (problem.nodes.size() + ends) * problem.components * sums_.size();
    take(options.below);
    if (root.placement.empty()) return;
    if (const Sum value = evaluate(problem, root.placement).objective; value < options.below)
      take(value), out_.placement = std::move(root.placement);
  }

  Quick run() {
    do {
      value_before_ = out_.value;
      out_.proof.leaves.clear();
      out_.complete = all_shown_ = true;
      go_down(tables_.least());
    } while (out_.complete && out_.value < value_before_);  // from the start, that value leaves fewer cases
    out_.complete = out_.complete && all_shown_;
    if (!out_.complete) out_.proof.leaves.clear();
    return std::move(out_);
  }

 private:
  void put_down_if_settled(std::uint32_t i) {
    const auto closed = static_cast<std::uint32_t>(std::ranges::count(problem_.nodes[i], kForbidden));
    if (closed + 1 != problem_.components) return;
    at_[i] = static_cast<std::uint32_t>(std::ranges::min_element(problem_.nodes[i]) - problem_.nodes[i].begin());
  }
  void take(Sum value) {
    out_.value = value;
    most_.clear();
    for (const LinearSum& sum : sums_) most_.push_back(sum.objective ? sum.by.scale * (value - 1) : 0);
  }
  // A sum that closes the case.
  [[nodiscard]] std::optional<std::size_t> too_large(const std::vector<Sum>& least) const {
    for (std::size_t s = 0; s < most_.size(); ++s)
      if (least[s] > most_[s]) return s;
    return std::nullopt;
  }
  // The largest share that a sum's least value has of the most that leaves the case open: 0 to 1.
  [[nodiscard]] double fullness(const std::vector<Sum>& least) const {
    double most = 0;
    for (std::size_t s = 0; s < most_.size(); ++s) {
      const Sum limit = sums_[s].limit;
      most = std::max(most, static_cast<double>(least[s] + limit) / (static_cast<double>(most_[s] + limit) + 1));
    }
    return most;
  }
  [[nodiscard]] bool may_be(std::uint32_t node, std::uint32_t l) const {
    return problem_.nodes[node][l] != kForbidden && !has_stand_in(twins_, used_, l);
  }
  // The node whose cases leave the least to search; none if all are placed.
  [[nodiscard]] std::optional<std::uint32_t> choose(const std::vector<Sum>& least) const {
    constexpr double kOfOne = 1.5;  // a case counts however full it is
    std::optional<std::uint32_t> chosen;
    double best = 0;
    std::vector<Sum> then(least.size());
    for (std::uint32_t i = 0; i < at_.size() && (!chosen || best > 0); ++i) {
      if (at_[i] != kUnplaced) continue;
      double left = 0;
      for (std::uint32_t l = 0; l < problem_.components; ++l) {
        if (!may_be(i, l)) continue;
        tables_.put(i, l, at_, least, then);
        if (!too_large(then)) left += kOfOne - fullness(then);
      }
      if (!chosen || left < best) chosen = i, best = left;
    }
    return chosen;
  }
  // Searches the case that fixings_ describe.
  void go_down(const std::vector<Sum>& least) {
    work_ += work_of_choice_;
    out_.complete = work_ <= kMostWork && std::chrono::steady_clock::now() <= end_;
    if (!out_.complete) return;
    if (const auto large = too_large(least))
      if (auto by = multipliers(*large, least[*large])) return add(std::move(*by));
    const auto node = choose(least);
    if (!node) return add_settled();
    std::vector<Sum> then(least.size());
    for (std::uint32_t l = 0; l < problem_.components && out_.complete; ++l) {
      if (!may_be(*node, l)) continue;
      tables_.put(*node, l, at_, least, then);
      at_[*node] = l, fixings_.push_back({*node, l}), used_.push_back(l);
      go_down(then);
      at_[*node] = kUnplaced, fixings_.pop_back(), used_.pop_back();
    }
  }
  // The multipliers needed may be out of range, above all if nothing feasible is known: then the case stays unproved,
  // and the search goes on.
  void add_settled() {
    const Value value = evaluate(problem_, at_);
    if (value.feasible && value.objective < out_.value) take(value.objective), out_.placement = at_;
    work_ += work_of_choice_ * problem_.components;
    Problem only = problem_;
    for (std::size_t i = 0; i < at_.size(); ++i)
      for (std::uint32_t l = 0; l < only.components; ++l)
        if (l != at_[i]) only.nodes[i][l] = kForbidden;
    Multipliers by = settled(only, out_.value);
    const auto bound = lower_bound(only, by);
    const bool shown = bound.ok() && *bound >= out_.value;
    all_shown_ = all_shown_ && shown;
    if (shown) add(std::move(by));
  }
  void add(Multipliers by) {
    if (out_.value < value_before_) return;  // all cases are searched again
    out_.complete = out_.proof.leaves.size() < most_leaves_;
    if (out_.complete) out_.proof.leaves.push_back({fixings_, std::move(by)});
  }
  // Multipliers whose bound by this sum reaches the value; none if one would be too large. The multiplier of a limit is
  // as large as that takes, and the objective counts beside it.
  [[nodiscard]] std::optional<Multipliers> multipliers(std::size_t s, Sum least) const {
    Multipliers by = sums_[s].by;
    if (sums_[s].objective) return by;
    const Sum times = out_.value / least + 1;
    if (times > kMostRowPrice) return std::nullopt;
    for (Cost& price : by.rows) price *= static_cast<Cost>(times);
    by.sum *= static_cast<Cost>(times);
    by.scale = 1;
    if (problem_.objective == Objective::kSum) return by;
    const auto open = std::ranges::find_if(problem_.rows, [](const Row& row) { return !row.limit; });
    by.rows[static_cast<std::size_t>(open - problem_.rows.begin())] = 1;
    return by;
  }

  const Problem& problem_;
  std::chrono::steady_clock::time_point end_;
  std::size_t most_leaves_;
  std::vector<std::uint32_t> twins_;
  std::vector<LinearSum> sums_;
  SumTables tables_;
  Placement at_;
  std::vector<Sum> most_;  // by sum: the most that leaves a case open
  std::vector<Fixing> fixings_;
  std::vector<std::uint32_t> used_;  // their components
  std::uint64_t work_ = 0, work_of_choice_ = 0;
  Sum value_before_ = 0;
  bool all_shown_ = true;  // every case with all nodes placed has been proved
  Quick out_;
};

}  // namespace

bool is_for_quick_branch(const Problem& problem) {
  if (problem.nodes.size() > kMostFixings || sum_alone(problem)) return false;
  return SumTables::size(problem, problem.rows.size() + 2) <= kMostTableBytes;
}

Quick branch_quickly(const Problem& problem, const QuickOptions& options) {
  Multipliers messages = first_messages(problem);
  RowSearch root = price_rows(problem, messages, options.below, {root_steps(problem), options.end, 0});
  return QuickSearch(problem, std::move(root), options).run();
}

Multipliers settled(const Problem& problem, Sum value) {
  Placement only;
  for (const auto& costs : problem.nodes)
    only.push_back(static_cast<std::uint32_t>(std::ranges::min_element(costs) - costs.begin()));
  Multipliers prices = no_multipliers(problem);
  Sum largest = -1;
  Cost* best = nullptr;
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    const Row& row = problem.rows[r];
    const Sum load = sum_of(row, problem, only);
    if (row.limit && load > *row.limit)
      prices.rows[r] = static_cast<Cost>(std::min<Sum>(kMostRowPrice, value / (load - *row.limit) + 1));
    if (!row.limit && problem.objective == Objective::kLargestRow && load > largest)
      largest = load, best = &prices.rows[r];
  }
  if (best != nullptr) *best += 1;
  const Sum sum = evaluate(problem, only).sum;
  if (problem.most_sum && sum > *problem.most_sum)
    prices.sum = static_cast<Cost>(std::min<Sum>(kMostRowPrice, value / (sum - *problem.most_sum) + 1));
  return prices;
}

}  // namespace woa::assign
