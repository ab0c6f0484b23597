#include "compiler/place/solver/branch.h"

#include <algorithm>
#include <optional>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/local_search.h"
#include "compiler/place/solver/neighbours.h"
#include "compiler/place/solver/quick_branch.h"
#include "compiler/place/solver/row_prices.h"
#include "compiler/place/solver/symmetry.h"

namespace woa::assign {
namespace {

constexpr std::size_t kMostDepthBytes = 128 << 20;
constexpr std::uint32_t kRootSteps = 300, kSteps = 12;

class Search {
 public:
  Search(const Problem& problem, const Placement& start, const BranchOptions& options)
      : problem_(problem),
        neighbours_(problem),
        twins_(twins(problem)),
        begin_(std::chrono::steady_clock::now()),
        end_(begin_ + options.limit),
        quick_(options.quick),
        near_ppm_(options.near_ppm),
        most_leaves_(std::min(most_leaves_held(problem), options.most_leaves)),
        most_fixings_(std::clamp<std::size_t>(kMostDepthBytes / (2 * bytes_of_leaf(problem)), 1, kMostFixings)) {
    out_.placement = start;
    value_ = options.below ? *options.below : evaluate(problem, start).objective;
  }

  Branched run() {
    if (quick_ && is_closed_quickly(begin_ + (end_ - begin_) / 2)) return std::move(out_);
    go_down(first_messages(problem_), kRootSteps);
    if (cut_short_) out_.proof.leaves.clear();
    if (cut_short_ && most_leaves_ > 0) out_.proof.leaves.push_back({{}, std::move(root_)});
    if (!cut_short_) out_.bound = value_;
    return std::move(out_);
  }

 private:
  // Tries the cheapest search first, branch_quickly(). True: it closed all cases.
  [[nodiscard]] bool is_closed_quickly(std::chrono::steady_clock::time_point end) {
    if (!is_for_quick_branch(problem_)) return false;
    Quick found = branch_quickly(problem_, {value_, most_leaves_, end});
    if (!found.placement.empty()) value_ = found.value, out_.placement = std::move(found.placement);
    if (found.complete) out_.bound = value_, out_.proof = std::move(found.proof);
    return found.complete;
  }
  // Searches the case that fixings_ describe.
  void go_down(Multipliers messages, std::uint32_t steps) {
    cut_short_ = cut_short_ || out_.proof.leaves.size() >= most_leaves_;
    if (cut_short_) return;
    ++out_.branches;
    const bool root = fixings_.empty();
    RowSearch found = price_rows(problem_, messages, value_, {steps, end_, root ? near_ppm_ : 0});
    if (root) out_.bound = found.bound, root_ = found.best;
    take(std::move(found.placement), root && found.bound < value_);
    if (found.bound >= value_) return out_.proof.leaves.push_back({fixings_, std::move(found.best)});
    cut_short_ = cut_short_ || std::chrono::steady_clock::now() > end_ || fixings_.size() >= most_fixings_;
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
    Multipliers prices = settled(problem_, value_);
    const auto bound = lower_bound(problem_, prices);
    cut_short_ = !bound.ok() || *bound < value_;  // multipliers are limited and may not reach the value
    if (!cut_short_) out_.proof.leaves.push_back({fixings_, std::move(prices)});
  }
  // The node with the smallest margin between its two best places; none if all have but one place.
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
  std::chrono::steady_clock::time_point begin_, end_;
  bool quick_;
  Cost near_ppm_;
  std::size_t most_leaves_;
  std::size_t most_fixings_;
  std::vector<Fixing> fixings_;
  std::vector<std::uint32_t> used_;  // their components
  Multipliers root_;                 // without fixings
  Sum value_ = 0;
  bool cut_short_ = false;
  Branched out_;
};

}  // namespace

Branched branch_and_bound(const Problem& problem, const Placement& start, const BranchOptions& options) {
  return Search(problem, start, options).run();
}

}  // namespace woa::assign
