// Placement where what is spent on components is bounded, against every placement there is.
#include <rapidcheck.h>

#include "compiler/place/solver/affordable.h"
#include "compiler/place/solver/solve.h"
#include "compiler/place/solver/symmetry.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/place/solver/any_problem.h"
#include "tests/unit/compiler/place/solver/brute_force.h"

namespace woa::assign::test {
namespace {

Problem any_bounded(bool rows) {
  Problem problem =
      any_problem({.most_nodes = 5, .components = *rc::gen::inRange<std::uint32_t>(1, 6), .rows = rows, .fees = true});
  if (*rc::gen::arbitrary<bool>()) make_symmetric(problem);
  RC_ASSERT(check(problem).ok());
  return problem;
}

ComponentSet used_by(const Placement& placement) {
  ComponentSet used = 0;
  for (const std::uint32_t l : placement) used |= set_of(l);
  return used;
}

// Calls back with each placement within the fees.
void each_within(const Problem& problem, const auto& visit) {
  Placement placement(problem.nodes.size(), 0);
  for (bool more = true; more;) {
    if (evaluate(problem, placement).feasible) visit(placement);
    more = false;
    for (std::uint32_t& component : placement) {
      if (++component < problem.components) {
        more = true;
        break;
      }
      component = 0;
    }
  }
}

}  // namespace

TEST_CASE("within fees the best placement is found, and proved by cases that cover all that can be afforded") {
  CHECK(rc::check([] {
    const Problem problem = any_bounded(false);
    const auto optimum = brute_force(problem);
    const auto found = solve(problem, {.limit = std::chrono::seconds(60)});
    RC_ASSERT(found.ok() == optimum.has_value());
    if (!found.ok()) RC_ASSERT(found.status().code() == Code::kExhausted);
    if (!found.ok()) return;
    RC_ASSERT(evaluate(problem, found->placement).feasible);
    RC_ASSERT(found->value.objective == *optimum);
    RC_ASSERT(found->standing == Standing::kProved);
    if (found->proof.leaves.empty()) RC_ASSERT(*optimum == 0);  // which needs none
    if (*optimum > 0) RC_ASSERT(verify(problem, found->proof, *optimum).message() == "");
    RC_ASSERT(!verify(problem, found->proof, *optimum + 1).ok());
  }));
}

TEST_CASE("a proof lacks no case, and repeats none") {
  CHECK(rc::check([] {
    const Problem problem = any_bounded(false);
    const auto found = solve(problem, {.limit = std::chrono::seconds(60)});
    if (!found.ok() || found->proof.leaves.empty()) return;
    const auto cut = *rc::gen::inRange<std::size_t>(0, found->proof.leaves.size());
    Proof less = found->proof;
    less.leaves.erase(less.leaves.begin() + static_cast<std::ptrdiff_t>(cut));
    RC_ASSERT(!verify(problem, less, found->bound).ok());
    Proof twice = found->proof;
    twice.leaves.push_back(twice.leaves.back());
    RC_ASSERT(!verify(problem, twice, found->bound).ok());
  }));
}

TEST_CASE("whatever proof is found good of whatever closed components, its bound holds") {
  CHECK(rc::check([] {
    const Problem problem = any_bounded(false);
    const auto optimum = brute_force(problem);
    const auto found = solve(problem, {.limit = std::chrono::seconds(60)});
    if (!optimum || !found.ok()) return;
    Proof changed = found->proof;
    for (Leaf& leaf : changed.leaves)
      if (*rc::gen::arbitrary<bool>()) leaf.closed = *rc::gen::inRange<ComponentSet>(0, 32);
    const Sum claimed = *optimum + *rc::gen::inRange(-2, 3);
    if (verify(problem, changed, claimed).ok()) RC_ASSERT(claimed <= *optimum);
  }));
}

TEST_CASE("what can be afforded is found whatever the time") {
  CHECK(rc::check([] {
    const Problem problem = any_bounded(false);
    const auto found = solve(problem, {.limit = std::chrono::milliseconds(0)});
    RC_ASSERT(found.ok() == brute_force(problem).has_value());
    if (found.ok()) RC_ASSERT(evaluate(problem, found->placement).feasible);
  }));
}

TEST_CASE("with rows and little time what is said of a placement within fees holds") {
  CHECK(rc::check([] {
    const Problem problem = any_bounded(true);
    const auto optimum = brute_force(problem);
    const auto found = solve(problem, {.limit = std::chrono::milliseconds(*rc::gen::element(1, 20'000))});
    if (!found.ok()) return;
    RC_ASSERT(optimum.has_value());
    RC_ASSERT(found->value.feasible);
    RC_ASSERT(evaluate(problem, found->placement).feasible);
    RC_ASSERT(evaluate(problem, found->placement).objective == found->value.objective);
    RC_ASSERT(found->value.objective >= *optimum);
    RC_ASSERT(found->bound <= *optimum);
    if (!found->proof.leaves.empty()) RC_ASSERT(verify(problem, found->proof, found->bound).message() == "");
    if (found->proof.leaves.empty()) RC_ASSERT(found->bound == 0);
    RC_ASSERT((found->standing == Standing::kProved) == (found->bound == found->value.objective));
  }));
}

TEST_CASE("closed components cover what can be afforded just where each placement keeps out of one case's") {
  CHECK(rc::check([] {
    const Problem problem = any_problem({.most_nodes = 4, .components = 4, .fees = true});
    if (twins(problem) != std::vector<std::uint32_t>{0, 1, 2, 3}) return;  // of those that are alike one is looked at
    std::vector<ComponentSet> closed;
    for (int cases = *rc::gen::inRange(0, 5); cases > 0; --cases)
      closed.push_back(*rc::gen::inRange<ComponentSet>(0, 16));
    const auto left = Affordable(problem).uncovered(closed);
    RC_ASSERT(left.ok());
    if (*left) {  // some set that can be afforded, and has one of each
      Placement all;
      for (std::uint32_t l = 0; l < problem.components; ++l)
        if ((**left & set_of(l)) != 0) all.push_back(l);
      for (const Fee& fee : problem.fees) {
        Sum sum = 0;
        for (const std::uint32_t l : all) sum += fee.of[l];
        RC_ASSERT(sum <= fee.most);
      }
      for (const ComponentSet each : closed) RC_ASSERT((each & **left) != 0);
    } else {
      each_within(problem, [&](const Placement& placement) {
        const ComponentSet used = used_by(placement);
        RC_ASSERT(std::ranges::any_of(closed, [&](ComponentSet each) { return (each & used) == 0; }));
      });
    }
  }));
}

TEST_CASE("the least that must be spent is what the cheapest placement spends") {
  CHECK(rc::check([] {
    Problem problem = any_problem({.most_nodes = 5, .components = 4, .fees = true});
    Fee fee = problem.fees.front();
    problem.fees.clear();
    std::optional<Sum> least;
    each_within(problem, [&](const Placement& placement) {
      Sum sum = 0;
      for (std::uint32_t l = 0; l < problem.components; ++l)
        if ((used_by(placement) & set_of(l)) != 0) sum += fee.of[l];
      if (!least || sum < *least) least = sum;
    });
    RC_ASSERT(Affordable(problem).least(fee) == least);
  }));
}

TEST_CASE("of components that are alike one case stands for all choices") {
  constexpr std::uint32_t kNodes = 6, kComponents = 8;
  Problem problem;
  problem.components = kComponents;
  problem.objective = Objective::kLargestRow;
  problem.nodes.assign(kNodes, std::vector<Cost>(kComponents, 0));
  for (std::uint32_t l = 0; l < kComponents; ++l) {
    Row row{"load", std::vector<Cost>(std::size_t{kNodes} * kComponents, 0)};
    for (std::uint32_t i = 0; i < kNodes; ++i) row.nodes[i * kComponents + l] = 10;
    problem.rows.push_back(std::move(row));
  }
  problem.fees = {{"price", std::vector<Cost>(kComponents, 10), 30}};
  const auto found = solve(problem);
  REQUIRE(found.ok());
  CHECK(found->value.objective == 20);
  CHECK(found->standing == Standing::kProved);
  std::vector<ComponentSet> closed;
  for (const Leaf& leaf : found->proof.leaves)
    if (closed.empty() || leaf.closed != closed.back()) closed.push_back(leaf.closed);
  CHECK(closed.size() == 1);
}

TEST_CASE("fees that make no sense are refused") {
  Problem problem;
  problem.components = 2;
  problem.nodes = {{1, 2}};
  problem.fees = {{"price", {1}, 1}};
  CHECK(check(problem).code() == Code::kInvalid);
  problem.fees = {{"price", {1, -1}, 1}};
  CHECK(check(problem).code() == Code::kInvalid);
  problem.fees = {{"price", {1, 1}, -1}};
  CHECK(check(problem).code() == Code::kInvalid);
  problem.fees = {{"price", {3, 4}, 2}};
  CHECK(check(problem).ok());
  CHECK(solve(problem).status().message().find(
            "price: controllers that all stages can run on come to 3 at least, and 2 are") != std::string::npos);
}

}  // namespace woa::assign::test
