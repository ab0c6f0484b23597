// Placements against every placement there is, and bounds against the optimum.
#include <rapidcheck.h>

#include <chrono>
#include <random>

#include "compiler/place/solver/bound.h"
#include "compiler/place/solver/branch.h"
#include "compiler/place/solver/forest.h"
#include "compiler/place/solver/local_search.h"
#include "compiler/place/solver/minimum_cut.h"
#include "compiler/place/solver/quick_branch.h"
#include "compiler/place/solver/solve.h"
#include "compiler/place/solver/symmetry.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/place/solver/any_problem.h"
#include "tests/unit/compiler/place/solver/brute_force.h"

namespace woa::assign::test {
namespace {

// The optimum, and a proof of it.
void check_solved(const Problem& problem, const Solved& solved) {
  const Value value = evaluate(problem, solved.placement);
  RC_ASSERT(value.feasible);
  RC_ASSERT(value.objective == *brute_force(problem));
  const auto bound = lower_bound(problem, solved.proof);
  RC_ASSERT(bound.ok());
  RC_ASSERT(*bound == value.objective);
}

// Makes each edge submodular: costs with both ends together sum to no more than those with both apart.
void make_cut(Problem& problem) {
  for (Edge& edge : problem.edges)
    if (const Cost excess = edge.cost[0] + edge.cost[3] - edge.cost[1] - edge.cost[2]; excess > 0)
      edge.cost[1] += excess;
}

// A chain whose nodes load the components that they are on, and its edges the links between them.
Problem dealt(std::uint32_t nodes, std::uint32_t components, std::mt19937& random) {
  const auto any = [&](Cost least, Cost most) { return least + static_cast<Cost>(random() % (most - least + 1)); };
  Problem problem{components, Objective::kLargestRow, {}, {}, {}, {}};
  std::vector<Cost> bytes;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    problem.nodes.emplace_back();
    for (std::uint32_t l = 0; l < components; ++l) problem.nodes[i].push_back(any(1'000, 60'000));
    if (i == 0) continue;
    problem.edges.push_back({i - 1, i, std::vector<Cost>(std::size_t{components} * components, 0)});
    bytes.push_back(any(1, 200));
  }
  for (std::uint32_t l = 0; l < components; ++l) {
    Row& load = problem.rows.emplace_back(Row{"load", std::vector<Cost>(std::size_t{nodes} * components, 0)});
    for (std::uint32_t i = 0; i < nodes; ++i) load.nodes[i * components + l] = problem.nodes[i][l];
  }
  for (std::uint32_t pair = 0; pair < components * components; ++pair) {
    if (pair % (components + 1) == 0) continue;
    std::vector<std::uint8_t> pairs(std::size_t{components} * components, 0);
    pairs[pair] = 1;
    const std::vector<Cost> none(bytes.size(), 0);
    Row& link = problem.rows.emplace_back(Row{"link", {}, {{std::move(pairs), bytes, none}}});
    for (Cost& weight : link.terms.front().edges) weight *= any(20, 1'000);
  }
  return problem;
}

Multipliers any_multipliers(const Problem& problem) {
  Multipliers by = no_multipliers(problem);
  for (auto* ends : {&by.from, &by.to})
    for (auto& edge : *ends)
      for (Sum& price : edge) price = *rc::gen::inRange(-100, 101);
  by.scale = problem.objective == Objective::kSum ? *rc::gen::inRange<Cost>(1, 4) : 0;
  const auto price = [&](const std::optional<Cost>& limit) {
    if (problem.objective == Objective::kSum && !limit) return Cost{0};
    const Cost any = *rc::gen::inRange<Cost>(0, 5);
    if (problem.objective == Objective::kLargestRow && !limit) by.scale += any;
    return any;
  };
  for (std::size_t r = 0; r < problem.rows.size(); ++r) by.rows[r] = price(problem.rows[r].limit);
  if (problem.most_sum) by.sum = *rc::gen::inRange<Cost>(0, 3);
  return by;
}

}  // namespace

TEST_CASE("forests are placed as well as can be, and the proof is their value") {
  CHECK(rc::check([] {
    const Problem problem = any_problem({.forest = true});
    RC_ASSERT(check(problem).ok());
    RC_ASSERT(is_forest(problem));
    check_solved(problem, solve_forest(problem));
  }));
}

TEST_CASE("two components are placed by a minimum cut, and the proof is its value") {
  CHECK(rc::check([] {
    Problem problem = any_problem({.most_nodes = 9, .components = 2});
    make_cut(problem);
    RC_ASSERT(is_cut(problem));
    check_solved(problem, solve_cut(problem));
  }));
}

TEST_CASE("whatever the multipliers, no feasible placement is below the bound") {
  CHECK(rc::check([] {
    const Problem problem = any_problem({.most_nodes = 5, .rows = true});
    RC_ASSERT(check(problem).ok());
    const Multipliers by = any_multipliers(problem);
    RC_PRE(by.scale > 0);
    const auto bound = lower_bound(problem, by);
    RC_ASSERT(bound.ok());
    const auto optimum = brute_force(problem);
    if (optimum) RC_ASSERT(*bound <= *optimum);
  }));
}

TEST_CASE("branch and bound ends at the optimum, with a proof that holds, and none that is cut or claims more") {
  CHECK(rc::check([] {
    const Problem problem = any_problem({.most_nodes = 6, .rows = true});
    const Placement start = search(problem);
    const auto optimum = brute_force(problem);
    if (!optimum || !evaluate(problem, start).feasible) return;
    const bool quick = *rc::gen::arbitrary<bool>();
    const Branched found = branch_and_bound(problem, start, {.limit = std::chrono::seconds(60), .quick = quick});
    const Value value = evaluate(problem, found.placement);
    RC_ASSERT(value.feasible);
    RC_ASSERT(value.objective == *optimum);
    RC_ASSERT(found.bound == *optimum);
    RC_ASSERT(verify(problem, found.proof, *optimum).ok());
    RC_ASSERT(!verify(problem, found.proof, *optimum + 1).ok());
    const auto cut = *rc::gen::inRange<std::size_t>(0, found.proof.leaves.size());
    Proof less = found.proof;
    less.leaves.erase(less.leaves.begin() + static_cast<std::ptrdiff_t>(cut));
    RC_ASSERT(!verify(problem, less, *optimum).ok());
    Proof twice = found.proof;
    twice.leaves.push_back(twice.leaves.back());
    RC_ASSERT(!verify(problem, twice, *optimum).ok());
  }));
}

TEST_CASE("few nodes are placed as well as can be for a largest row, whatever the limits, and that is proved") {
  CHECK(rc::check([] {
    Problem problem = any_problem({.components = 4, .rows = true, .largest_row = true});
    if (*rc::gen::inRange(0, 3) == 0) make_symmetric(problem);
    const auto optimum = brute_force(problem);
    const auto found = solve(problem, {.solver = false});
    RC_ASSERT(found.ok() == optimum.has_value());
    if (!optimum) return;
    RC_ASSERT(found->standing == Standing::kProved);
    RC_ASSERT(found->value.objective == *optimum);
    RC_ASSERT(verify(problem, found->proof, *optimum).ok());
    RC_ASSERT(!verify(problem, found->proof, *optimum + 1).ok());
  }));
}

TEST_CASE("where nothing is known to keep all limits, cases that no price shows to be too dear stop nothing") {
  CHECK(rc::check([] {
    const Problem problem = any_problem({.components = 3, .rows = true, .unit = 1'000'000'000});
    RC_PRE(is_for_quick_branch(problem));
    const auto optimum = brute_force(problem);
    const QuickOptions options{.below = Sum{1} << 62,
                               .end = std::chrono::steady_clock::now() + std::chrono::minutes(1)};
    const Quick found = branch_quickly(problem, options);
    RC_ASSERT(found.placement.empty() == !optimum.has_value());
    if (!optimum) return;
    RC_ASSERT(found.value == *optimum);
    RC_ASSERT(evaluate(problem, found.placement).objective == *optimum);
    if (found.complete) RC_ASSERT(verify(problem, found.proof, *optimum).ok());
  }));
}

// The plan grows with each leaf of its proof: a mean of loads takes tens of thousands of leaves for some of these.
TEST_CASE("ten nodes dealt to four components by their largest load take a proof of few leaves") {
  std::mt19937 random(1);
  for (int count = 0; count < 10; ++count) {
    const Problem problem = dealt(10, 4, random);
    REQUIRE(check(problem).ok());
    const auto found = solve(problem, {.solver = false});
    REQUIRE(found.ok());
    CHECK(found->standing == Standing::kProved);
    CHECK(found->proof.leaves.size() < 1000);
    CHECK(verify(problem, found->proof, found->bound).ok());
  }
}

TEST_CASE("whatever is said of a placement holds: of one that is proved, claimed, or has a gap") {
  CHECK(rc::check([] {
    Problem problem = any_problem({.most_nodes = 6, .rows = true});
    if (*rc::gen::arbitrary<bool>()) make_symmetric(problem);
    const auto optimum = brute_force(problem);
    const auto found = solve(problem, {.limit = std::chrono::milliseconds(*rc::gen::element(2, 20'000))});
    const auto code = found.status().code();
    if (!found.ok()) RC_ASSERT(code == Code::kExhausted || code == Code::kDeadlineExceeded);
    if (!found.ok()) return;
    RC_ASSERT(optimum);
    RC_ASSERT(evaluate(problem, found->placement).objective == found->value.objective);
    RC_ASSERT(found->value.feasible);
    RC_ASSERT(found->value.objective >= *optimum);
    if (!found->proof.leaves.empty()) RC_ASSERT(verify(problem, found->proof, found->bound).ok());
    if (found->proof.leaves.empty()) RC_ASSERT(found->bound == 0);
    const bool optimal = found->standing == Standing::kProved || found->standing == Standing::kClaimed;
    if (optimal) RC_ASSERT(found->value.objective == *optimum);
    RC_ASSERT((found->standing == Standing::kProved) == (found->bound == found->value.objective));
  }));
}

TEST_CASE("a proof has no more leaves than it may have, which those who verify it count as well") {
  CHECK(rc::check([] {
    const Problem problem = any_problem({.most_nodes = 6, .rows = true});
    const Placement start = search(problem);
    if (!evaluate(problem, start).feasible) return;
    const std::size_t most = *rc::gen::inRange<std::size_t>(0, 5);
    const bool quick = *rc::gen::arbitrary<bool>();
    const Branched found = branch_and_bound(problem, start, {.most_leaves = most, .quick = quick});
    RC_ASSERT(found.proof.leaves.size() <= most);
    if (most == 0) RC_ASSERT(found.bound == 0);
    if (most > 0) RC_ASSERT(verify(problem, found.proof, found.bound).ok());
  }));
  Problem large;  // its proof is checked by the number of leaves alone
  large.components = 64;
  large.nodes.assign(2, std::vector<Cost>(64, 1));
  large.edges = {{0, 1, std::vector<Cost>(64 * 64, 0)}};
  large.rows.assign(600, {"load", {}, {{std::vector<std::uint8_t>(64 * 64, 1), {1}, {0}}}, 1});
  const Proof proof{std::vector<Leaf>(most_leaves(large) + 1, Leaf{{}, no_multipliers(large)})};
  CHECK(verify(large, proof, 0).message() == "proof: it has too many leaves");
}

TEST_CASE("components that may change places do, whatever the placement, and a proof looks at one of them only") {
  CHECK(rc::check([] {
    Problem problem = any_problem({.most_nodes = 6, .components = 3, .rows = true});
    make_symmetric(problem);
    RC_ASSERT(twins(problem)[2] <= 1);
    Placement placement, other;
    for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
      placement.push_back(*rc::gen::inRange<std::uint32_t>(0, 3));
      if (problem.nodes[i][placement[i]] == kForbidden) return;
      other.push_back(placement[i] == 0 ? 0 : 3 - placement[i]);
    }
    const Value value = evaluate(problem, placement), swapped = evaluate(problem, other);
    RC_ASSERT(value.objective == swapped.objective);
    RC_ASSERT(value.feasible == swapped.feasible);
    if (!value.feasible) return;
    const Branched found = branch_and_bound(problem, placement, {.quick = *rc::gen::arbitrary<bool>()});
    RC_ASSERT(verify(problem, found.proof, found.bound).ok());
    for (const Leaf& leaf : found.proof.leaves) {
      std::vector<std::uint32_t> used;
      for (const Fixing& fixing : leaf.fixings) {
        RC_ASSERT(fixing.component != 2 || std::ranges::count(used, 1) > 0 || std::ranges::count(used, 2) > 0);
        used.push_back(fixing.component);
      }
    }
  }));
}

TEST_CASE("components are not alike where what nodes need is shared on one of them alone") {
  Problem problem;
  problem.components = 2;
  problem.nodes = {{1, 1}, {1, 1}};
  problem.rows = {{.name = "parts of the first", .nodes = {5, 0, 5, 0}, .limit = 9, .shared = {1, 1}},
                  {.name = "parts of the second", .nodes = {0, 5, 0, 5}, .limit = 9, .shared = {1, 1}}};
  REQUIRE(check(problem).ok());
  CHECK(twins(problem)[1] == 0);
  problem.rows[1].shared.clear();
  CHECK(twins(problem)[1] == 1);
}

TEST_CASE("list scheduling puts each node where it may be") {
  CHECK(rc::check([] {
    const Problem problem = any_problem({.rows = true});
    const Placement placement = list_schedule(problem, Neighbours(problem));
    RC_ASSERT(placement.size() == problem.nodes.size());
    RC_ASSERT(evaluate(problem, placement).broken.find("node") == std::string::npos);
  }));
}

TEST_CASE("list scheduling keeps Graham's bound for the dearest first: 4/3 - 1/3m of the least largest load") {
  CHECK(rc::check([] {
    Problem problem;
    problem.objective = Objective::kLargestRow;
    const std::uint32_t m = problem.components = *rc::gen::inRange<std::uint32_t>(1, 4);
    const auto times =
        *rc::gen::container<std::vector<Cost>>(*rc::gen::inRange<std::size_t>(1, 8), rc::gen::inRange<Cost>(1, 50));
    for (const Cost time : times) problem.nodes.push_back(std::vector<Cost>(m, time));
    for (std::uint32_t l = 0; l < m; ++l) {
      Row row{"load", std::vector<Cost>(times.size() * m, 0)};
      for (std::size_t i = 0; i < times.size(); ++i) row.nodes[i * m + l] = times[i];
      problem.rows.push_back(std::move(row));
    }
    const Sum value = evaluate(problem, list_schedule(problem, Neighbours(problem))).objective;
    RC_ASSERT(value * 3 * m <= *brute_force(problem) * (4 * m - 1));
  }));
}

TEST_CASE("a search finds the optimum of small problems nearly always, and never places a node where it may not be") {
  std::uint32_t all = 0, found = 0;
  CHECK(rc::check([&] {
    const Problem problem = any_problem({.most_nodes = 6, .rows = true});
    const auto optimum = brute_force(problem);
    const Value value = evaluate(problem, search(problem));
    if (!optimum) return;
    RC_ASSERT(!value.feasible || value.objective >= *optimum);
    RC_ASSERT(value.broken.find("node") == std::string::npos);
    ++all;
    if (value.feasible && value.objective == *optimum) ++found;
  }));
  CHECK(found * 10 >= all * 9);
}

}  // namespace woa::assign::test
