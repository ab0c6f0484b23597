#include "compiler/assign/solve.h"

#include <utility>

#include "compiler/assign/branch.h"
#include "compiler/assign/forest.h"
#include "compiler/assign/local_search.h"
#include "compiler/assign/milp.h"
#include "compiler/assign/minimum_cut.h"

namespace woa::assign {
namespace {

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

void branch(const Problem& problem, std::chrono::milliseconds limit, Solution& solution) {
  Branched found = branch_and_bound(problem, solution.placement, {.limit = limit});
  take(problem, std::move(found.placement), "branch and bound", solution);
  if (found.bound <= 0) return;
  solution.bound = found.bound;
  solution.proof = std::move(found.proof);
}

void ask_solver(const Problem& problem, std::chrono::milliseconds limit, Solution& solution) {
  Milp answer = solve_milp(problem, solution.placement, limit);
  take(problem, std::move(answer.placement), "CBC", solution);
  if (answer.optimal) solution.standing = Standing::kClaimed;
}

}  // namespace

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
  if (sum_alone(problem) && is_forest(problem)) return exact(problem, solve_forest(problem), "tree");
  if (is_cut(problem)) return exact(problem, solve_cut(problem), "minimum cut");
  Solution solution;
  solution.placement = search(problem);
  solution.value = evaluate(problem, solution.placement);
  solution.method = "search";
  // A mean of loads bounds the largest of them badly, where few nodes go to many components.
  const auto own = options.solver && problem.objective == Objective::kLargestRow && solver_status().ok()
                       ? options.limit / 5
                       : options.limit / 2;
  if (solution.value.feasible) branch(problem, own, solution);
  const auto is_proved = [&] { return solution.value.feasible && solution.bound == solution.value.objective; };
  if (options.solver && !is_proved()) ask_solver(problem, options.limit - own, solution);
  if (!solution.value.feasible)
    return Status(Code::kExhausted, "placement: none was found that keeps all limits; the best of them broke that of " +
                                        solution.value.broken + "; raise it, or take stages or constraints away");
  if (is_proved())
    solution.standing = Standing::kProved;
  else if (solution.standing != Standing::kClaimed && solution.bound > 0)
    solution.standing = Standing::kGap;
  return solution;
}

}  // namespace woa::assign
