// Plays plans as a token game: whatever the compiler accepts must keep its promises: no two tokens for one port and
// tag, no token without a reader, the sink fires once and last, and no edge ever holds more than b(e).
#include "tests/unit/compiler/check/token_game.h"

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa::test {
namespace {

void play_all(const std::string& body, const Plan& plan, Random& random, int games) {
  for (int i = 0; i < games; ++i) {
    const std::string problem = Game(plan, random).play();
    if (problem.empty()) continue;
    INFO(body);
    CHECK(problem == "");
    return;
  }
}

std::size_t count_renewed(const Plan& plan) {
  std::size_t count = 0;
  for (const StagePlan& stage : plan.stages)
    count += static_cast<std::size_t>(std::ranges::count(stage.inputs, true, &InputPortPlan::renewed));
  return count;
}

TEST_CASE("graphs made of parts that fit are accepted, and keep every promise") {
  Random random(1);
  std::size_t renewed = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string body = any_body(random);
    const Plan plan = compile_good(body, program_options());
    renewed += count_renewed(plan);
    play_all(body, plan, random, 20);
  }
  CHECK(renewed > 0);  // some free held tokens early
}

TEST_CASE("a held token that is freed against the order of turns stops its reader") {
  // `a` does not wait for `follow`, which holds what it wrote.
  const std::string body =
      "stages:\n"
      "  a: {kernel: route, in: {in: [x, {from: p.a, loop: {max: 5, name: l}}, {from: s.b, loop: {name: l}}]}}\n"
      "  p: {kernel: split, in: {in: a.left}}\n"
      "  b: {kernel: copy, in: {in: [x, {from: follow.out, loop: {name: l}}, {from: s.a, loop: {name: l}}]}}\n"
      "  first: {kernel: join2, in: {a: p.b, b: {from: b.out, hold: true}}}\n"
      "  follow: {kernel: join2, in: {a: first.out, b: {from: a.left, hold: true}}}\n"
      "  meet: {kernel: join2, in: {a: a.right, b: {from: b.out, hold: true}}}\n"
      "  end: {kernel: step, in: {x: meet.out}}\n"
      "  s: {kernel: split, in: {in: end.again}}\n"
      "outputs: {y: end.done}\n";
  Random random(4);
  Plan plan = compile_good(body);
  CHECK(count_renewed(plan) == 2);  // those that `b` writes
  play_all(body, plan, random, 2000);
  for (StagePlan& stage : plan.stages)
    for (InputPortPlan& port : stage.inputs) port.renewed = port.hold;
  std::set<std::string> problems;
  for (int i = 0; i < 2000; ++i) problems.insert(Game(plan, random).play());
  CHECK(problems.size() > 1);
}

TEST_CASE("a writer that runs ahead of its reader stays within b(e)") {
  const std::string body =
      "stages:\n"
      "  a: {kernel: route, in: {in: [x, {from: p.a, loop: {max: 3, name: l}}, {from: s.b, loop: {name: l}}]}}\n"
      "  p: {kernel: split, in: {in: a.left}}\n"
      "  b: {kernel: copy, in: {in: [x, {from: follow.out, loop: {name: l}}, {from: s.a, loop: {name: l}}]}}\n"
      "  follow: {kernel: join2, in: {a: p.b, b: {from: b.out, hold: true}}}\n"
      "  meet: {kernel: join2, in: {a: a.right, b: {from: b.out, hold: true}}}\n"
      "  end: {kernel: step, in: {x: meet.out}}\n"
      "  s: {kernel: split, in: {in: end.again}}\n"
      "outputs: {y: end.done}\n";
  Random random(3);
  play_all(body, compile_good(body), random, 2000);
  Plan tight = compile_good(body);  // the game would notice
  for (EdgePlan& edge : tight.edges) edge.min_blocks = std::min(edge.min_blocks, 2U);
  std::set<std::string> problems;
  for (int i = 0; i < 2000; ++i) problems.insert(Game(tight, random).play());
  CHECK(problems.size() > 1);
}

TEST_CASE("of graphs rewired at random, those that are accepted keep every promise") {
  Random random(2);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string body = any_body(random, true);
    const Compilation result = compile_text(graph_text(body), "graph.yaml", "", program_options());
    CHECK(result.plan.has_value() == result.diagnostics.empty());
    if (!result.plan) continue;
    ++accepted;
    play_all(body, *result.plan, random, 20);
  }
  CHECK(accepted > 20);  // else this test shows nothing
}

}  // namespace
}  // namespace woa::test
