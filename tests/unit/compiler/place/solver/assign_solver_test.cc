// The solver of mixed-integer programs against every placement there is.
#include <rapidcheck.h>

#include "compiler/place/solver/milp.h"
#include "tests/support/catch.h"
#include "tests/support/require.h"
#include "tests/unit/compiler/place/solver/any_problem.h"
#include "tests/unit/compiler/place/solver/brute_force.h"

namespace woa::assign::test {

TEST_CASE("a solver's optimum is the optimum") {
  if (const Status status = solver_status(); !status.ok()) woa::test::skip("cbc", status.message());
  CHECK(rc::check([] {
    Problem problem = any_problem({.most_nodes = 10, .rows = true});
    if (*rc::gen::arbitrary<bool>()) make_symmetric(problem);
    const auto optimum = brute_force(problem);
    const Milp answer = solve_milp(problem, {}, std::chrono::seconds(20));
    RC_ASSERT(answer.optimal == optimum.has_value());
    if (!optimum) return;
    const Value value = evaluate(problem, answer.placement);
    RC_ASSERT(value.feasible);
    RC_ASSERT(value.objective == *optimum);
    const Milp again = solve_milp(problem, answer.placement, std::chrono::seconds(20));
    RC_ASSERT(evaluate(problem, again.placement).objective == *optimum);
  }));
}

TEST_CASE("a solver that has no time is not asked") {
  for (const int limit_ms : {0, -1, -2000}) {
    const Milp answer =
        solve_milp(Problem{2, Objective::kSum, {{1, 2}}, {}, {}, {}}, {}, std::chrono::milliseconds(limit_ms));
    CHECK(answer.placement.empty());
    CHECK(answer.failure == "");
  }
}

}  // namespace woa::assign::test
