#include "compiler/place/solver/solve.h"

#include <limits>
#include <utility>

#include "compiler/place/solver/branch.h"
#include "compiler/place/solver/forest.h"
#include "compiler/place/solver/local_search.h"
#include "compiler/place/solver/milp.h"
#include "compiler/place/solver/minimum_cut.h"
#include "compiler/place/solver/quick_branch.h"
#include "compiler/place/solver/reduced.h"
#include "compiler/place/solver/within_fees.h"

namespace woa::assign {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSearchShare = 10;         // 1/kSearchShare of the time, for the search before any proof
constexpr std::uint32_t kFewRounds = 2;  // enough for a start that quick_branch.h improves
constexpr std::string_view kSearched = "list scheduling + local search";

Solution exact(const Problem& problem, Solved solved, std::string method) {
  Solution solution;
  solution.value = evaluate(problem, solved.placement);
  solution.placement = std::move(solved.placement);
  solution.standing = Standing::kProved;
  solution.bound = solution.value.objective;
  solution.proof.leaves = {{{}, std::move(solved.proof)}};
  solution.method = std::move(method);
  return solution;
}

void take(const Problem& problem, Placement placement, std::string method, Solution& solution) {
  if (placement.empty()) return;
  const Value value = evaluate(problem, placement);
  if (!value.feasible || (solution.value.feasible && value.objective >= solution.value.objective)) return;
  solution.placement = std::move(placement);
  solution.value = value;
  solution.method = std::move(method);
}

bool is_proved(const Solution& solution) {
  return solution.value.feasible && solution.bound == solution.value.objective;
}

// With so many nodes, the last 0.1 % takes longer to find than it is worth.
Cost near_enough_ppm(const Problem& problem) {
  constexpr std::size_t kMany = 5000;
  return problem.nodes.size() > kMany ? 1000 : 0;
}

void branch(const Problem& problem, Clock::time_point end, Solution& solution) {
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  Branched found = branch_and_bound(problem, solution.placement,
                                    {.limit = limit, .near_ppm = near_enough_ppm(problem), .quick = false});
  take(problem, std::move(found.placement), "branch and bound", solution);
  if (found.bound <= solution.bound) return;
  solution.bound = found.bound;
  solution.proof = std::move(found.proof);
}

// More than the value of any placement.
Sum above_all(const Problem& problem) {
  Sum sum = 1;
  const auto add_largest = [&](const std::vector<Cost>& costs, Sum times) {
    Cost most = 0;
    for (const Cost cost : costs) most = std::max(most, cost == kForbidden ? 0 : cost);
    sum += times * most;
  };
  for (const auto& costs : problem.nodes) add_largest(costs, 1);
  for (const Edge& edge : problem.edges) add_largest(edge.cost, 1);
  for (const Row& row : problem.rows) {
    constexpr Sum kMostOften = 2 * std::numeric_limits<std::uint8_t>::max();
    add_largest(row.nodes, Sum{problem.nodes.size()});
    for (const RowTerm& term : row.terms)
      for (const std::vector<Cost>* costs : {&term.edges, &term.back}) add_largest(*costs, kMostOften * costs->size());
  }
  return sum;
}

// True: the search was complete.
bool look_quickly(const Problem& problem, Clock::time_point end, Solution& solution) {
  // If no feasible value is known, the root's multipliers may be poor; rows close cases all the same.
  const Sum below = solution.value.feasible ? solution.value.objective : above_all(problem);
  Quick found = branch_quickly(problem, {.below = below, .end = end});
  take(problem, std::move(found.placement), "branch and bound", solution);
  if (found.complete && solution.value.feasible) solution.bound = found.value, solution.proof = std::move(found.proof);
  return found.complete;
}

// Takes the solver's claim only if our placement is as good as its own, compared in exact numbers.
void ask_solver(const Problem& problem, Clock::time_point end, Solution& solution) {
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  Milp answer = solve_milp(problem, solution.value.feasible ? solution.placement : Placement(), limit);
  if (!answer.failure.empty()) solution.method += "; " + answer.failure;
  if (answer.placement.empty()) return;
  const Value value = evaluate(problem, answer.placement);
  take(problem, std::move(answer.placement), "CBC", solution);
  if (answer.optimal && value.feasible && solution.value.objective <= value.objective)
    solution.standing = Standing::kClaimed;
}

// Our own search and the solver in turns: ours is quick if bounds are tight, and proves its result. `all_seen`: the
// search was complete, whatever the time.
Solution look(const Problem& problem, const SolveOptions& options, bool& all_seen) {
  const Clock::time_point begin = Clock::now(), end = begin + options.limit;
  const bool solver = options.solver && is_for_solver(problem) && solver_status().ok();
  const Clock::time_point own = solver ? begin + options.limit / 5 : end;
  const bool begun = !options.start.empty() && evaluate(problem, options.start).feasible;
  Solution solution;
  const auto begin_with = [&](Placement placement, std::string_view method) {
    if (solution.value.feasible) return take(problem, std::move(placement), std::string(method), solution);
    solution.placement = std::move(placement), solution.method = method;
    solution.value = evaluate(problem, solution.placement);
  };
  const auto searched = [&](std::uint32_t rounds) {
    return search(problem, {.seed = 1, .rounds = rounds, .end = Clock::now() + options.limit / kSearchShare});
  };
  if (begun) begin_with(options.start, "what it began with");
  if (is_for_quick_branch(problem)) {
    if (!begun) begin_with(searched(kFewRounds), kSearched);
    all_seen = look_quickly(problem, begin + (own - begin) / 2, solution);
    if (all_seen) return solution;
  }
  if (!begun) begin_with(searched(0), kSearched);
  if (solution.value.feasible) branch(problem, own, solution);
  if (solver && !is_proved(solution)) ask_solver(problem, end - options.limit / 5, solution);
  // Again with a better value, which cuts off more, or at least with more time.
  if (solver && solution.value.feasible && !is_proved(solution)) branch(problem, end, solution);
  return solution;
}

}  // namespace

bool is_for_solver(const Problem& problem) noexcept {
  constexpr std::size_t kMostColumns = 20'000;
  const std::size_t k = problem.components;
  return problem.nodes.size() * k + problem.edges.size() * k * k <= kMostColumns;
}

std::string_view to_string(Standing standing) noexcept {
  switch (standing) {
    case Standing::kProved: return "proved";
    case Standing::kClaimed: return "claimed";
    case Standing::kGap: return "gap";
    case Standing::kHeuristic: return "heuristic";
  }
  return "";
}

Result<Solution> solve(const Problem& problem, const SolveOptions& options) {
  WOA_RETURN_IF_ERROR(check(problem));
  if (!problem.fees.empty()) return solve_within_fees(problem, options);
  if (sum_alone(problem)) {
    const Reduced reduced(problem);
    if (is_forest(reduced.problem())) return exact(problem, reduced.lift(solve_forest(reduced.problem())), "tree");
    if (is_cut(reduced.problem())) return exact(problem, reduced.lift(solve_cut(reduced.problem())), "minimum cut");
  }
  const Clock::time_point begin = Clock::now();
  bool all_seen = false;
  Solution solution = look(problem, options, all_seen);
  const bool cut_short = !all_seen && Clock::now() - begin >= options.limit / kSearchShare;
  if (!solution.value.feasible)
    return Status(
        cut_short ? Code::kDeadlineExceeded : Code::kExhausted,
        "placement: none was found that keeps all limits; the best of them broke that of " + solution.value.broken);
  if (is_proved(solution))
    solution.standing = Standing::kProved;
  else if (solution.standing != Standing::kClaimed && solution.bound > 0)
    solution.standing = Standing::kGap;
  return solution;
}

}  // namespace woa::assign
