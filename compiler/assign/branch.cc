#include "compiler/assign/branch.h"

#include <algorithm>

#include "compiler/assign/ascent.h"
#include "compiler/assign/neighbours.h"
#include "compiler/assign/priced.h"

namespace woa::assign {
namespace {

constexpr Cost kScale = 1 << 16;
constexpr std::uint32_t kRootPasses = 100, kPasses = 10;

class Search {
 public:
  Search(const Problem& problem, const Placement& start, const BranchOptions& options)
      : problem_(problem),
        neighbours_(problem),
        end_(std::chrono::steady_clock::now() + options.limit),
        most_leaves_(options.most_leaves) {
    out_.placement = start;
    value_ = evaluate(problem, start).objective;
  }

  Branched run() {
    Multipliers messages = no_multipliers(problem_);
    messages.scale = kScale;
    go_down(messages, kRootPasses);
    if (cut_short_) out_.proof.leaves.clear();
    if (!cut_short_) out_.bound = value_;
    return std::move(out_);
  }

 private:
  // The case that fixings_ describe.
  void go_down(Multipliers messages, std::uint32_t passes) {
    ++out_.branches;
    Multipliers closed = ascend(problem_, messages, passes);
    const auto bound = lower_bound(problem_, closed);
    if (fixings_.empty()) out_.bound = *bound;
    round(messages);
    if (*bound >= value_) return keep(std::move(closed));
    cut_short_ = cut_short_ || std::chrono::steady_clock::now() > end_ || out_.proof.leaves.size() >= most_leaves_;
    if (cut_short_) return;
    const std::uint32_t node = choose(messages);
    const std::vector<Cost> costs = problem_.nodes[node];
    for (std::uint32_t l = 0; l < problem_.components && !cut_short_; ++l) {
      if (costs[l] == kForbidden) continue;
      problem_.nodes[node].assign(problem_.components, kForbidden);
      problem_.nodes[node][l] = costs[l];
      fixings_.push_back({node, l});
      go_down(messages, kPasses);
      fixings_.pop_back();
    }
    problem_.nodes[node] = costs;
  }
  void keep(Multipliers closed) { out_.proof.leaves.push_back({fixings_, std::move(closed)}); }

  // What a node would like to cost, as the messages say.
  [[nodiscard]] Sum belief(const Multipliers& messages, std::uint32_t node, std::uint32_t component) const {
    Sum sum = Sum{messages.scale} * problem_.nodes[node][component];
    for (const std::uint32_t e : neighbours_.of(node))
      sum += (problem_.edges[e].from == node ? messages.from : messages.to)[e][component];
    return sum;
  }
  // A placement by the messages, node after node, each with regard to those before.
  void round(const Multipliers& messages) {
    Placement placement(problem_.nodes.size());
    for (std::uint32_t i = 0; i < placement.size(); ++i) {
      Sum least = kNowhere;
      for (std::uint32_t l = 0; l < problem_.components; ++l) {
        if (problem_.nodes[i][l] == kForbidden) continue;
        Sum sum = Sum{messages.scale} * problem_.nodes[i][l];
        for (const std::uint32_t e : neighbours_.of(i)) {
          const std::uint32_t other = across(problem_.edges[e], i);
          sum += other < i ? Sum{messages.scale} * cost_of(problem_, problem_.edges[e], i, l, placement[other])
                           : (problem_.edges[e].from == i ? messages.from : messages.to)[e][l];
        }
        if (sum < least) least = sum, placement[i] = l;
      }
    }
    const Value value = evaluate(problem_, placement);
    if (value.feasible && value.objective < value_) value_ = value.objective, out_.placement = std::move(placement);
  }
  // The node that is least sure of its place.
  [[nodiscard]] std::uint32_t choose(const Multipliers& messages) const {
    std::uint32_t chosen = 0;
    Sum closest = kNowhere;
    for (std::uint32_t i = 0; i < problem_.nodes.size(); ++i) {
      Sum best = kNowhere, second = kNowhere;
      for (std::uint32_t l = 0; l < problem_.components; ++l) {
        if (problem_.nodes[i][l] == kForbidden) continue;
        const Sum here = belief(messages, i, l);
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
  std::chrono::steady_clock::time_point end_;
  std::uint64_t most_leaves_;
  std::vector<Fixing> fixings_;
  Sum value_ = 0;
  bool cut_short_ = false;
  Branched out_;
};

}  // namespace

Branched branch_and_bound(const Problem& problem, const Placement& start, const BranchOptions& options) {
  return Search(problem, start, options).run();
}

}  // namespace woa::assign
