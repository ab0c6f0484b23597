// Every course of small plans, none left out: no edge ever holds more than b(e), and some course reaches it; with the
// plan's blocks every course ends, whatever instances are in flight; with one less, where docs/liveness.md says so, one
// does not.
#include "tests/unit/compiler/check/every_course.h"

#include <string>
#include <vector>

#include "compiler/certificate/live_blocks.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa::test {
namespace {

struct SmallGraph {
  const char* name;
  const char* body;
};

constexpr SmallGraph kSmallGraphs[] = {
    {"chain",
     "stages:\n"
     "  a: {kernel: copy, in: {in: x}}\n"
     "  b: {kernel: copy, in: {in: a.out}}\n"
     "  c: {kernel: copy, in: {in: b.out}}\n"
     "outputs: {y: c.out}\n"},
    {"diamond",
     "stages:\n"
     "  s: {kernel: split, in: {in: x}}\n"
     "  l: {kernel: copy, in: {in: s.a}}\n"
     "  m: {kernel: copy, in: {in: l.out}}\n"
     "  j: {kernel: join2, in: {a: m.out, b: s.b}}\n"
     "outputs: {y: j.out}\n"},
    {"branch in a diamond",
     "stages:\n"
     "  s: {kernel: split, in: {in: x}}\n"
     "  r: {kernel: route, in: {in: s.a}}\n"
     "  l: {kernel: copy, in: {in: r.left}}\n"
     "  j: {kernel: join2, in: {a: [l.out, r.right], b: s.b}}\n"
     "outputs: {y: j.out}\n"},
    {"loop of one stage",
     "stages:\n"
     "  s: {kernel: step, in: {x: [x, {from: s.again, loop: {max: 2}}]}}\n"
     "outputs: {y: s.done}\n"},
    {"loop with a diamond",
     "stages:\n"
     "  s: {kernel: split, in: {in: [x, {from: e.again, loop: {max: 2}}]}}\n"
     "  l: {kernel: copy, in: {in: s.a}}\n"
     "  j: {kernel: join2, in: {a: l.out, b: s.b}}\n"
     "  e: {kernel: step, in: {x: j.out}}\n"
     "outputs: {y: e.done}\n"},
    {"loop with a held input",
     "stages:\n"
     "  s: {kernel: split, in: {in: x}}\n"
     "  l: {kernel: copy, in: {in: [s.a, {from: e.again, loop: {max: 2}}]}}\n"
     "  e: {kernel: step2, in: {x: l.out, y: {from: s.b, hold: true}}}\n"
     "outputs: {y: e.done}\n"},
    {"loop with an input held in every turn",
     "stages:\n"
     "  s: {kernel: split, in: {in: [x, {from: e.again, loop: {max: 2}}]}}\n"
     "  l: {kernel: copy, in: {in: s.a}}\n"
     "  e: {kernel: step2, in: {x: l.out, y: {from: s.b, hold: true}}}\n"
     "outputs: {y: e.done}\n"},
    {"nested loops",
     "stages:\n"
     "  h: {kernel: copy, in: {in: [x, {from: e.again, loop: {max: 2, name: outer}}]}}\n"
     "  i: {kernel: step, in: {x: [h.out, {from: i.again, loop: {max: 2, name: inner}}]}}\n"
     "  e: {kernel: step, in: {x: i.done}}\n"
     "outputs: {y: e.done}\n"},
    {"nested loops with a body each",
     "stages:\n"
     "  h: {kernel: split, in: {in: [x, {from: e.again, loop: {max: 1, name: outer}}]}}\n"
     "  i: {kernel: copy, in: {in: [h.a, {from: k.again, loop: {max: 2, name: inner}}]}}\n"
     "  k: {kernel: step, in: {x: i.out}}\n"
     "  j: {kernel: join2, in: {a: k.done, b: h.b}}\n"
     "  e: {kernel: step, in: {x: j.out}}\n"
     "outputs: {y: e.done}\n"},
    {"nested loops that are left before their bodies",
     "stages:\n"
     "  o: {kernel: route, in: {in: [x, {from: f.out, loop: {max: 2, name: outer}}]}}\n"
     "  i: {kernel: route, in: {in: [o.left, {from: t.out, loop: {max: 2, name: inner}}]}}\n"
     "  t: {kernel: copy, in: {in: i.left}}\n"
     "  f: {kernel: copy, in: {in: i.right}}\n"
     "outputs: {y: o.right}\n"},
    {"scatter",
     "stages:\n"
     "  c: {kernel: cut, in: {in: x}}\n"
     "  w: {kernel: copy, in: {in: c.piece}}\n"
     "  p: {kernel: paste, in: {pieces: w.out}}\n"
     "outputs: {y: p.out}\n"},
    {"scatter gathered at once",
     "stages:\n"
     "  c: {kernel: cut, in: {in: x}}\n"
     "  p: {kernel: paste, in: {pieces: c.piece}}\n"
     "outputs: {y: p.out}\n"},
    {"scatter in a loop",
     "stages:\n"
     "  c: {kernel: cut, in: {in: [x, {from: e.again, loop: {max: 2}}]}}\n"
     "  p: {kernel: paste, in: {pieces: c.piece}}\n"
     "  e: {kernel: step, in: {x: p.out}}\n"
     "outputs: {y: e.done}\n"},
};

std::vector<std::uint32_t> live_of(const Plan& plan) {
  std::vector<std::uint32_t> live;
  for (const EdgePlan& edge : plan.edges) live.push_back(edge.min_blocks);
  return live;
}

std::string ends_of(const Plan& plan, const EdgePlan& edge) {
  return plan.stages[edge.from_stage].name + " -> " + plan.stages[edge.to_stage].name + (edge.count ? " (count)" : "");
}

TEST_CASE("b(e) is the most that an edge of these graphs holds in any course") {
  for (const SmallGraph& graph : kSmallGraphs) {
    INFO(graph.name);
    const Plan plan = compile_good(graph.body, program_options());
    EveryCourse courses(plan, 1, {});
    CHECK(courses.all_end());
    CHECK(courses.occupied() == live_of(plan));
  }
}

TEST_CASE("with live blocks every course ends; with one less, where that is the least, one does not") {
  for (const SmallGraph& graph : kSmallGraphs) {
    const Plan plan = compile_good(graph.body, program_options());
    std::vector<std::uint32_t> blocks = live_of(plan);
    INFO(graph.name);
    CHECK(EveryCourse(plan, 1, {blocks, {}}).all_end());
    for (std::size_t e = 0; e < plan.edges.size(); ++e) {
      INFO(ends_of(plan, plan.edges[e]));
      if (necessary_blocks(plan, plan.edges[e]) < plan.edges[e].min_blocks) continue;
      --blocks[e];
      CHECK_FALSE(EveryCourse(plan, 1, {blocks, {}}).all_end());
      ++blocks[e];
    }
  }
}

// Turn by turn a token is held for an inner loop, or for a firing that may not come.
constexpr SmallGraph kRenewed[] = {
    {"held for an inner loop",
     "stages:\n"
     "  h: {kernel: split, in: {in: [x, {from: t.again, loop: {max: 4}}]}}\n"
     "  i: {kernel: step2, in: {x: [h.a, {from: i.again, loop: {max: 1}}], y: {from: h.b, hold: true}}}\n"
     "  t: {kernel: step, in: {x: i.done}}\n"
     "outputs: {y: t.done}\n"},
    {"held for a branch",
     "stages:\n"
     "  h: {kernel: route, in: {in: [x, {from: j.out, loop: {max: 4, name: l}}, {from: r.right, loop: {name: l}}]}}\n"
     "  r: {kernel: route, in: {in: h.left}}\n"
     "  j: {kernel: join2, in: {a: r.left, b: {from: h.left, hold: true}}}\n"
     "outputs: {y: h.right}\n"},
};

TEST_CASE("a renewed port holds two tokens at most, and every course ends with as many blocks") {
  for (const SmallGraph& graph : kRenewed) {
    INFO(graph.name);
    const Plan plan = compile_good(graph.body, program_options());
    EveryCourse courses(plan, 1, {});
    CHECK(courses.all_end());
    std::size_t renewed = 0;
    std::vector<std::uint32_t> blocks = live_of(plan);
    for (std::size_t e = 0; e < plan.edges.size(); ++e) {
      const EdgePlan& edge = plan.edges[e];
      INFO(ends_of(plan, edge));
      const bool is_renewed = plan.stages[edge.to_stage].inputs[edge.to_port].renewed;
      CHECK(edge.min_blocks == (is_renewed ? 3 : courses.occupied()[e]));
      if (!is_renewed) continue;
      ++renewed;
      CHECK(courses.occupied()[e] == 2);
      blocks[e] = 2;
      CHECK(EveryCourse(plan, 1, {blocks, {}}).all_end());
      blocks[e] = 1;
      CHECK_FALSE(EveryCourse(plan, 1, {blocks, {}}).all_end());
      blocks[e] = 3;
    }
    CHECK(renewed == 1);
    CHECK(EveryCourse(plan, 2, {live_of(plan), live_of(plan)}).all_end());
  }
}

TEST_CASE("two instances in flight end with live blocks that are the oldest's own, and not with as many for anybody") {
  bool blocks_without = false;
  for (const SmallGraph& graph : kSmallGraphs) {
    INFO(graph.name);
    const Plan plan = compile_good(graph.body, program_options());
    if (plan.edges.size() > 7 || std::string(graph.name).starts_with("scatter")) continue;  // too many states
    const std::vector<std::uint32_t> live = live_of(plan);
    std::vector<std::uint32_t> more = live;
    for (std::uint32_t& blocks : more) ++blocks;
    CHECK(EveryCourse(plan, 2, {live, live}).all_end());
    CHECK(EveryCourse(plan, 2, {more, live}).all_end());
    blocks_without = blocks_without || !EveryCourse(plan, 2, {live, {}}).all_end();
  }
  CHECK(blocks_without);
}

}  // namespace
}  // namespace woa::test
