// Tags, hold masks and b(e) of graphs with loops.
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

using test::compile_good;
using test::edge_of;
using test::stage_of;

const LoopPlan& loop_of(const Plan& plan, const std::string& name) {
  for (const LoopPlan& loop : plan.loops) {
    if (loop.name == name) return loop;
  }
  throw std::out_of_range("no loop " + name);
}

TEST_CASE("a stage that feeds itself: one counter, two blocks") {
  const Plan plan = compile_good(
      "window: 3\nstages:\n  s: {kernel: step, in: {x: [x, {from: s.again, loop: {max: 50}}]}}\noutputs: {y: "
      "s.done}\n");
  REQUIRE(plan.loops.size() == 1);
  CHECK(plan.loops[0] == LoopPlan{"s", 0, 6, 50});  // counts 0 to 50
  const EdgePlan& entry = edge_of(plan, "source.x", "s.x");
  CHECK((entry.keep == 0 && entry.step == 0 && entry.loop == -1 && entry.min_blocks == 1 && entry.blocks == 4));
  const EdgePlan& again = edge_of(plan, "s.again", "s.x");
  CHECK((again.keep == 63 && again.step == 1 && again.loop == 0 && again.min_blocks == 2 && again.blocks == 7));
  const EdgePlan& done = edge_of(plan, "s.done", "sink.y");
  CHECK((done.keep == 0 && done.step == 0 && done.loop == -1 && done.min_blocks == 1));
}

TEST_CASE("nested loops have adjacent fields, the outer one higher; disjoint loops share bits") {
  const Plan plan = compile_good(
      "stages:\n"
      "  head: {kernel: copy, in: {in: [x, {from: tail.again, loop: {max: 9, name: outer}}]}}\n"
      "  one: {kernel: step, in: {x: [head.out, {from: one.again, loop: {max: 3}}]}}\n"
      "  two: {kernel: step, in: {x: [one.done, {from: two.again, loop: {max: 100}}]}}\n"
      "  tail: {kernel: step, in: {x: two.done}}\n"
      "  after: {kernel: step, in: {x: [tail.done, {from: after.again, loop: {max: 1}}]}}\n"
      "outputs: {y: after.done}\n");
  CHECK(loop_of(plan, "one") == LoopPlan{"one", 0, 2, 3});
  CHECK(loop_of(plan, "two") == LoopPlan{"two", 0, 7, 100});
  CHECK(loop_of(plan, "outer") == LoopPlan{"outer", 7, 4, 9});
  CHECK(loop_of(plan, "after") == LoopPlan{"after", 0, 1, 1});
  const std::uint64_t outer = 0xFULL << 7;
  CHECK(edge_of(plan, "source.x", "head.in").keep == 0);
  CHECK(edge_of(plan, "head.out", "one.x").keep == outer);  // enters `one`: its counter is 0
  CHECK(edge_of(plan, "one.again", "one.x").keep == (outer | 3));
  CHECK(edge_of(plan, "one.again", "one.x").step == 1);
  CHECK(edge_of(plan, "one.done", "two.x").keep == outer);
  CHECK(edge_of(plan, "two.again", "two.x").keep == (outer | 127));
  CHECK(edge_of(plan, "tail.again", "head.in").keep == outer);
  CHECK(edge_of(plan, "tail.again", "head.in").step == 1ULL << 7);
  CHECK(edge_of(plan, "tail.done", "after.x").keep == 0);
  for (const EdgePlan& edge : plan.edges) {
    const bool self = edge.from_stage == edge.to_stage;
    CHECK(edge.min_blocks == (self ? 2U : 1U));
  }
}

TEST_CASE("one port may enter two loops at once, if one of them is clearly outside") {
  const Plan plan = compile_good(
      "stages:\n"
      "  h: {kernel: step, in: {x: [x, {from: h.again, loop: {max: 3, name: inner}}, {from: t.again, loop: {max: 3, "
      "name: outer}}]}}\n"
      "  t: {kernel: step, in: {x: h.done}}\n"
      "outputs: {y: t.done}\n");
  CHECK(loop_of(plan, "inner").shift == 0);
  CHECK(loop_of(plan, "outer").shift == 2);
  CHECK(edge_of(plan, "t.again", "h.x").keep == 0xC);
  CHECK(edge_of(plan, "h.again", "h.x").keep == 0xF);
}

TEST_CASE("a held token matches on the counters that both ends share") {
  const Plan plan = compile_good(
      "stages:\n"
      "  head: {kernel: split, in: {in: [x, {from: tail.again, loop: {max: 3, name: outer}}]}}\n"
      "  in2: {kernel: step2, in: {x: [head.a, {from: in2.again, loop: {max: 7, name: inner}}], y: {from: x, hold: "
      "true}}}\n"
      "  in3: {kernel: step2, in: {x: [in2.done, {from: in3.again, loop: {max: 7, name: third}}], y: {from: head.b, "
      "hold: true}}}\n"
      "  tail: {kernel: step, in: {x: in3.done}}\n"
      "outputs: {y: tail.done}\n");
  CHECK(loop_of(plan, "outer").shift == 3);
  const InputPortPlan& far = stage_of(plan, "in2").inputs[1];
  CHECK((far.hold && far.hold_mask == 0));
  const InputPortPlan& near = stage_of(plan, "in3").inputs[1];
  CHECK((near.hold && near.hold_mask == 0x18));
  CHECK(edge_of(plan, "source.x", "in2.y").min_blocks == 1);  // one for the instance
  CHECK(edge_of(plan, "head.b", "in3.y").min_blocks == 3);    // renewed in each turn of `outer`
  CHECK((near.renewed && !far.renewed));
  CHECK(edge_of(plan, "head.b", "in3.y").keep == 0x18);
  CHECK_FALSE(stage_of(plan, "in2").inputs[0].hold);
}

TEST_CASE("inside a loop an edge needs one block where the reader ends before the writer fires again") {
  const Plan plan = compile_good(
      "stages:\n"
      "  head: {kernel: split, in: {in: [x, {from: tail.again, loop: {max: 20, name: l}}]}}\n"
      "  work: {kernel: copy, in: {in: head.a}}\n"
      "  both: {kernel: join2, in: {a: work.out, b: head.b}}\n"
      "  tail: {kernel: step, in: {x: both.out}}\n"
      "outputs: {y: tail.done}\n");
  for (const EdgePlan& edge : plan.edges) CHECK(edge.min_blocks == 1);
}

TEST_CASE("an edge needs a block per turn where the writer may run ahead of the reader") {
  // `a` goes on by itself when it writes `left`; `b` follows at its own pace, until `right` lets them meet.
  const Plan plan = compile_good(
      "stages:\n"
      "  a: {kernel: route, in: {in: [x, {from: p.a, loop: {max: 5, name: l}}, {from: s.b, loop: {name: l}}]}}\n"
      "  p: {kernel: split, in: {in: a.left}}\n"
      "  b: {kernel: copy, in: {in: [x, {from: follow.out, loop: {name: l}}, {from: s.a, loop: {name: l}}]}}\n"
      "  follow: {kernel: join2, in: {a: p.b, b: {from: b.out, hold: true}}}\n"
      "  meet: {kernel: join2, in: {a: a.right, b: {from: b.out, hold: true}}}\n"
      "  end: {kernel: step, in: {x: meet.out}}\n"
      "  s: {kernel: split, in: {in: end.again}}\n"
      "outputs: {y: end.done}\n");
  CHECK(edge_of(plan, "p.b", "follow.a").min_blocks == 6);
  CHECK(edge_of(plan, "a.left", "p.in").min_blocks == 1);
  CHECK(edge_of(plan, "p.a", "a.in").min_blocks == 1);
  CHECK(edge_of(plan, "follow.out", "b.in").min_blocks == 1);
  CHECK(edge_of(plan, "b.out", "follow.b").min_blocks == 3);  // held; `b` waits for both readers
}

// Blocks of the edge from `a.left` to the held port of `follow`, which `rest` describes.
std::uint32_t held_blocks(const std::string& rest) {
  const Plan plan = compile_good(
      "stages:\n"
      "  a: {kernel: route, in: {in: [x, {from: p.a, loop: {max: 5, name: l}}, {from: s.b, loop: {name: l}}]}}\n"
      "  p: {kernel: split, in: {in: a.left}}\n" +
      rest +
      "  meet: {kernel: join2, in: {a: a.right, b: {from: b.out, hold: true}}}\n"
      "  end: {kernel: step, in: {x: meet.out}}\n"
      "  s: {kernel: split, in: {in: end.again}}\n"
      "outputs: {y: end.done}\n");
  const EdgePlan& edge = edge_of(plan, "a.left", "follow.b");
  CHECK(stage_of(plan, "follow").inputs[1].renewed == (edge.min_blocks == 3));
  return edge.min_blocks;
}

TEST_CASE("a held token is renewed only where its readers end before a later turn's writer begins") {
  const std::string b =
      "  b: {kernel: copy, in: {in: [x, {from: follow.out, loop: {name: l}}, {from: s.a, loop: {name: l}}]}}\n";
  // `a` goes on when `p` has ended, and does not wait for `follow`.
  CHECK(held_blocks(b + "  first: {kernel: join2, in: {a: p.b, b: {from: b.out, hold: true}}}\n"
                        "  follow: {kernel: join2, in: {a: first.out, b: {from: a.left, hold: true}}}\n") == 6);
}

TEST_CASE("loops of three turns keep a block for each turn, longer ones renew") {
  for (const std::uint32_t max : {1, 2, 3, 4, 4'000'000}) {
    const Plan plan = compile_good(
        "stages:\n"
        "  h: {kernel: split, in: {in: [x, {from: t.again, loop: {max: " +
        std::to_string(max) +
        "}}]}}\n"
        "  i: {kernel: step2, in: {x: [h.a, {from: i.again, loop: {max: 9}}], y: {from: h.b, hold: true}}}\n"
        "  t: {kernel: step, in: {x: i.done}}\n"
        "outputs: {y: t.done}\n");
    CHECK(edge_of(plan, "h.b", "i.y").min_blocks == std::min(max + 1, 3U));
    CHECK(stage_of(plan, "i").inputs[1].renewed == (max > 2));
  }
}

TEST_CASE("b(e) over the limit is refused and the product is shown") {
  const Compilation result = compile_text(
      test::graph_text("stages:\n"
                       "  head: {kernel: split, in: {in: [x, {from: tail.again, loop: {max: 99, name: outer}}]}}\n"
                       "  mid: {kernel: copy, in: {in: [head.a, {from: low.again, loop: {max: 49, name: mid}}]}}\n"
                       "  c: {kernel: cut, in: {in: mid.out}}\n"
                       "  w: {kernel: copy, in: {in: c.piece}}\n"
                       "  in: {kernel: join2, in: {a: w.out, b: {from: c.piece, hold: true}}}\n"
                       "  p: {kernel: paste, in: {pieces: in.out}}\n"
                       "  low: {kernel: step, in: {x: p.out}}\n"
                       "  tail: {kernel: step2, in: {x: low.done, y: {from: head.b, hold: true}}}\n"
                       "outputs: {y: tail.done}\n"),
      "graph.yaml", "", test::program_options());
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].code == "E0415");
  CHECK(result.diagnostics[0].text.find(" x 50 (the turns of loop `mid`) x 100 (the turns of loop `outer`)") !=
        std::string::npos);
}

TEST_CASE("counters that need more than 64 bits are refused") {
  std::string body = "stages:\n";
  std::string from = "x";
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    body += "  h" + n + ": {kernel: copy, in: {in: [" + from + ", {from: t" + n +
            ".again, loop: {max: 4294967295, name: l" + n + "}}]}}\n";
    from = "h" + n + ".out";
  }
  for (int i = 2; i >= 0; --i) {
    const std::string n = std::to_string(i);
    body += "  t" + n + ": {kernel: step, in: {x: " + from + "}}\n";
    from = "t" + n + ".done";
  }
  CHECK(test::codes(test::graph_text(body + "outputs: {y: " + from + "}\n")) == "E0414");
}

}  // namespace
}  // namespace woa
