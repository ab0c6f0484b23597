#include "compiler/place/solver/proof.h"

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/symmetry.h"

namespace woa::assign {
namespace {

class Verifier {
 public:
  Verifier(const Problem& problem, const Proof& proof, Sum value) : original_(problem), proof_(proof), value_(value) {}

  Status run() {
    if (proof_.leaves.size() > most_leaves(original_)) return {Code::kInvalid, "proof: it has too many leaves"};
    std::vector<ComponentSet> closed;
    do {
      if (next_ == proof_.leaves.size()) return wrong("it is missing");
      closed.push_back(proof_.leaves[next_].closed);
      if (std::ranges::count(closed, closed.back()) > 1) return wrong("it repeats a case");
      WOA_RETURN_IF_ERROR(check_tree(closed.back()));
    } while (next_ < proof_.leaves.size());
    return check_cases(closed);
  }

 private:
  [[nodiscard]] Status check_cases(const std::vector<ComponentSet>& closed) const {
    if (original_.fees.empty())
      return closed == std::vector<ComponentSet>{0} ? Status() : wrong("it closes components");
    const auto left = Affordable(original_).uncovered(closed);
    if (!left.ok()) return left.status().with_context("proof");
    return *left ? wrong("the case of other components that can be afforded is missing") : Status();
  }
  // Checks all leaves with these components closed.
  Status check_tree(ComponentSet closed) {
    tree_ = without(original_, closed), problem_ = tree_, closed_ = closed;
    twins_.clear();
    if (!is_homeless(tree_)) return cover(0);
    ++next_;
    return {};
  }
  [[nodiscard]] Status wrong(const std::string& what) const {
    return {Code::kInvalid, "proof, leaf " + std::to_string(next_ + 1) + ": " + what};
  }
  // Checks all leaves of the case that the first `depth` fixings of the next leaf describe, which have been applied.
  Status cover(std::size_t depth) {
    if (next_ == proof_.leaves.size() || proof_.leaves[next_].closed != closed_) return wrong("it is missing");
    if (proof_.leaves[next_].fixings.size() == depth) return check_leaf();
    const std::uint32_t node = proof_.leaves[next_].fixings[depth].node;
    if (node >= problem_.nodes.size()) return wrong("it names a node that there is not");
    if (places(node) < 2) return wrong("it puts node " + std::to_string(node) + " down, which has one place");
    if (depth == kMostFixings) return wrong("it has too many fixings");
    const std::vector<Cost> costs = problem_.nodes[node];
    for (std::uint32_t l = 0; l < problem_.components; ++l) {
      if (costs[l] == kForbidden) continue;
      if (!names(depth, {node, l}) && has_stand_in(twins(), used_, l)) continue;
      if (!names(depth, {node, l}))
        return wrong("the case of node " + std::to_string(node) + " on component " + std::to_string(l) + " is missing");
      problem_.nodes[node].assign(problem_.components, kForbidden);
      problem_.nodes[node][l] = costs[l];
      path_.push_back({node, l}), used_.push_back(l);
      WOA_RETURN_IF_ERROR(cover(depth + 1));
      path_.pop_back(), used_.pop_back();
    }
    problem_.nodes[node] = costs;
    return {};
  }
  [[nodiscard]] std::size_t places(std::uint32_t node) const {
    return problem_.components - static_cast<std::size_t>(std::ranges::count(problem_.nodes[node], kForbidden));
  }
  // Does the next leaf take this branch?
  [[nodiscard]] bool names(std::size_t depth, const Fixing& fixing) const {
    if (next_ == proof_.leaves.size() || proof_.leaves[next_].fixings.size() <= depth) return false;
    if (proof_.leaves[next_].closed != closed_) return false;
    const auto& fixings = proof_.leaves[next_].fixings;
    return fixings[depth] == fixing && std::equal(path_.begin(), path_.end(), fixings.begin());
  }
  // Twins of the tree without fixings, computed only if asked for: few proofs need them.
  [[nodiscard]] const std::vector<std::uint32_t>& twins() {
    if (twins_.empty()) twins_ = assign::twins(tree_);
    return twins_;
  }
  Status check_leaf() {
    const auto bound = lower_bound(problem_, proof_.leaves[next_].multipliers);
    if (!bound.ok()) return bound.status().with_context("proof, leaf " + std::to_string(next_ + 1));
    if (*bound < value_)
      return {Code::kDataLoss, "proof, leaf " + std::to_string(next_ + 1) + ": its bound is below the value"};
    ++next_;
    return {};
  }

  const Problem& original_;
  Problem tree_;     // the problem with the tree's components closed
  Problem problem_;  // the tree's, with the fixings of the case applied
  ComponentSet closed_ = 0;
  std::vector<Fixing> path_;  // of the case
  std::vector<std::uint32_t> twins_, used_;
  const Proof& proof_;
  Sum value_;
  std::size_t next_ = 0;
};

}  // namespace

std::size_t most_leaves(const Problem& problem) {
  constexpr std::size_t kMostSteps = std::size_t{1} << 32;
  return kMostSteps / steps_to_price(problem);
}

std::size_t bytes_of_leaf(const Problem& problem) {
  constexpr std::size_t kOfVector = 40;  // the vector itself, and the overhead of its allocation
  return 2 * problem.edges.size() * (sizeof(Sum) * problem.components + kOfVector) + 1;
}

std::size_t most_leaves_held(const Problem& problem) {
  constexpr std::size_t kMostBytes = 64 << 20;
  return std::min(std::max<std::size_t>(kMostBytes / bytes_of_leaf(problem), 1), most_leaves(problem));
}

Status verify(const Problem& problem, const Proof& proof, Sum value) { return Verifier(problem, proof, value).run(); }

}  // namespace woa::assign
