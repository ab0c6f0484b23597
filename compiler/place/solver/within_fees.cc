#include "compiler/place/solver/within_fees.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "compiler/place/solver/affordable.h"
#include "compiler/place/solver/branch.h"

namespace woa::assign {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostCases = 1000, kMostProofBytes = 64 << 20;
constexpr std::size_t kMostLate = 8;  // cases still searched after the time is over if nothing was found

// "75.5 W".
std::string text_of(const Fee& fee, Sum amount) {
  std::string text = std::to_string(static_cast<Cost>(amount / fee.per_unit));
  Sum rest = amount % fee.per_unit;
  if (rest != 0) text += '.';
  for (; rest != 0; rest %= fee.per_unit) {
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / fee.per_unit));
  }
  return text + (fee.unit.empty() ? "" : " " + fee.unit);
}

// A set of closed components, and what is known of placements without them.
struct Case {
  ComponentSet closed = 0;
  Sum bound = 0;  // no placement in it is below
  Proof proof;
  bool impossible = false;  // a node has no place
  bool claimed = false;     // a solver says that no placement in it is below the one found
};

class WithinFees {
 public:
  WithinFees(const Problem& problem, const SolveOptions& options)
      : problem_(problem), options_(options), end_(Clock::now() + options.limit) {}

  Result<Solution> run() {
    auto all = solve(without(problem_, 0), {.limit = options_.limit / 4, .solver = options_.solver});
    if (!all.ok()) return all;
    if (evaluate(problem_, all->placement).feasible) return all;
    list_cases();
    for (std::size_t c = 0; c < cases_.size(); ++c) look_into(cases_[c], cases_.size() - c);
    if (best_.placement.empty()) return nothing();
    for (std::size_t c = 0; c < cases_.size() && complete_; ++c) prove(cases_[c], cases_.size() - c);
    return with_standing(*all);
  }

 private:
  [[nodiscard]] milliseconds share(std::size_t parts) const {
    const auto left = std::chrono::duration_cast<milliseconds>(end_ - Clock::now());
    return std::max(left / static_cast<std::int64_t>(parts + 1), milliseconds(1));
  }

  void list_cases() {
    const Affordable sets(problem_);
    std::vector<ComponentSet> closed;
    for (complete_ = false; closed.size() < kMostCases && !complete_;) {
      const auto left = sets.uncovered(closed);
      if (!left.ok()) break;
      complete_ = !*left;
      if (!complete_) closed.push_back(sets.closed_beside(**left));
    }
    for (const ComponentSet each : closed) cases_.push_back({each, 0, {}});
  }

  void look_into(Case& one, std::size_t cases_left) {
    const bool late = Clock::now() >= end_;
    complete_ = complete_ && !late;
    if (late && (!best_.placement.empty() || late_ == kMostLate)) return;
    const Problem open = without(problem_, one.closed);
    one.impossible = is_homeless(open);
    if (one.impossible) return keep({{{}, no_multipliers(open)}}, one);
    late_ += late ? 1 : 0;
    auto found = solve(open, {.limit = share(cases_left), .solver = options_.solver});
    if (!found.ok()) return;  // nothing was found in it: prove() says whether there is nothing
    one.bound = found->bound;
    one.claimed = found->standing == Standing::kClaimed;
    keep(std::move(found->proof.leaves), one);
    take(std::move(*found));
  }
  void take(Solution found) {
    if (!best_.placement.empty() && found.value.objective >= best_.value.objective) return;
    best_ = std::move(found);
    best_.proof = {};
  }
  // Proves nothing once there are more leaves than can be held.
  void keep(std::vector<Leaf> leaves, Case& one) {
    for (Leaf& leaf : leaves) leaf.closed = one.closed;
    const std::size_t of_leaf = 2 * problem_.edges.size() * problem_.components * sizeof(Sum) + sizeof(Leaf);
    bytes_ += of_leaf * leaves.size(), leaves_ += leaves.size();
    complete_ = complete_ && bytes_ <= kMostProofBytes && leaves_ <= most_leaves(problem_);
    one.proof.leaves = complete_ ? std::move(leaves) : std::vector<Leaf>();
  }
  // Proves that nothing in a case is better than the best of all, or finds it.
  void prove(Case& one, std::size_t cases_left) {
    if (is_settled(one) || Clock::now() > end_) return;
    Branched found = branch_and_bound(without(problem_, one.closed), {},
                                      {.below = best_.value.objective, .limit = share(cases_left)});
    if (!found.placement.empty()) {
      best_.value = evaluate(problem_, found.placement);
      best_.placement = std::move(found.placement), best_.method = "branch and bound";
    }
    if (found.bound <= one.bound) return;
    one.bound = found.bound;
    keep(std::move(found.proof.leaves), one);
  }
  [[nodiscard]] bool is_settled(const Case& one) const { return one.impossible || one.bound >= best_.value.objective; }

  Solution with_standing(Solution& all) {
    best_.method += "; best of " + std::to_string(cases_.size()) + (cases_.size() == 1 ? " set" : " sets") +
                    " of controllers that can be afforded";
    best_.bound = all.bound, best_.proof = std::move(all.proof);
    Sum bound = best_.value.objective;
    for (const Case& one : cases_) bound = one.impossible ? bound : std::min(bound, one.bound);
    if (complete_ && bound >= best_.bound && bound > 0) join_proofs(bound);
    const auto known = [&](const Case& one) { return one.claimed || is_settled(one); };
    if (best_.bound == best_.value.objective)
      best_.standing = Standing::kProved;
    else if (complete_ && std::ranges::all_of(cases_, known))
      best_.standing = Standing::kClaimed;
    else
      best_.standing = best_.bound > 0 ? Standing::kGap : Standing::kHeuristic;
    return std::move(best_);
  }
  void join_proofs(Sum bound) {
    best_.bound = bound, best_.proof = {};
    for (Case& one : cases_) std::ranges::move(one.proof.leaves, std::back_inserter(best_.proof.leaves));
  }

  [[nodiscard]] Status nothing() const {
    const Affordable sets(problem_);
    for (const Fee& fee : problem_.fees) {
      const auto least = sets.least(fee);
      if (!least || *least <= fee.most) continue;
      return {Code::kExhausted, "placement: " + fee.name + ": controllers that all stages can run on come to " +
                                    text_of(fee, *least) + " at least, and " + text_of(fee, fee.most) + " are allowed"};
    }
    if (Clock::now() >= end_)
      return {Code::kDeadlineExceeded,
              "placement: none was found, in the time that it was given, on controllers that can be afforded together"};
    return {Code::kExhausted,
            "placement: none was found that keeps all limits on controllers that can be afforded together"};
  }

  const Problem& problem_;
  const SolveOptions& options_;
  Clock::time_point end_;
  std::vector<Case> cases_;
  Solution best_;
  std::size_t bytes_ = 0, leaves_ = 0, late_ = 0;
  bool complete_ = false;  // the cases cover all, and there is a proof of each
};

}  // namespace

Result<Solution> solve_within_fees(const Problem& problem, const SolveOptions& options) {
  return WithinFees(problem, options).run();
}

}  // namespace woa::assign
