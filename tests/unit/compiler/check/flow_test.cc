// Which graphs with branches and loops are shown to be right, and which are refused.
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

std::string check(const std::string& body) { return test::codes(test::graph_text(body)); }

TEST_CASE("complementary choices merge to always") {
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  a: {kernel: route, in: {in: r.left}}\n"
              "  m: {kernel: copy, in: {in: [a.left, r.right, a.right]}}\n"
              "  j: {kernel: join2, in: {a: m.out, b: x}}\n"
              "outputs: {y: j.out}\n")
            .empty());
}

TEST_CASE("choices of one stage may part and meet again crosswise") {
  // Both copies of the token go the same way, since one stage decides for both.
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  a: {kernel: split, in: {in: r.left}}\n"
              "  b: {kernel: split, in: {in: r.right}}\n"
              "  m: {kernel: copy, in: {in: [a.a, b.a]}}\n"
              "  n: {kernel: copy, in: {in: [b.b, a.b]}}\n"
              "  j: {kernel: join2, in: {a: m.out, b: n.out}}\n"
              "outputs: {y: j.out}\n")
            .empty());
}

TEST_CASE("two stages that choose apart cannot be joined by their choices") {
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  q: {kernel: route, in: {in: x}}\n"
              "  j: {kernel: join2, in: {a: r.left, b: q.left}}\n"
              "  k: {kernel: join2, in: {a: r.right, b: q.right}}\n"
              "outputs: {y: [j.out, k.out]}\n") == "E0408 E0408");
}

TEST_CASE("a join on a branch joins what is on that branch") {
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  s: {kernel: split, in: {in: r.left}}\n"
              "  j: {kernel: join2, in: {a: s.a, b: s.b}}\n"
              "outputs: {y: [j.out, r.right]}\n")
            .empty());
}

TEST_CASE("a held token may come more often than its reader fires, not less") {
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  j: {kernel: join2, in: {a: r.left, b: {from: x, hold: true}}}\n"
              "outputs: {y: [j.out, r.right]}\n")
            .empty());
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  j: {kernel: join2, in: {a: x, b: {from: r.left, hold: true}}}\n"
              "outputs: {y: j.out, z: r.right}\n") == "E0411 E0412");
}

TEST_CASE("alternatives may be merged into a held port") {
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  s: {kernel: step2, in: {x: [x, {from: s.again, loop: {max: 4}}], "
              "y: [{from: r.left, hold: true}, {from: r.right, hold: true}]}}\n"
              "outputs: {y: s.done}\n")
            .empty());
}

TEST_CASE("a loop may end in several ways, which are choices to those after it") {
  const std::string loop =
      "stages:\n"
      "  h: {kernel: triple, in: {in: [x, {from: w.out, loop: {max: 4, name: l}}]}}\n"
      "  w: {kernel: copy, in: {in: h.again}}\n";
  CHECK(check(loop + "outputs: {y: [h.next, h.done]}\n").empty());
  CHECK(check(loop + "  a: {kernel: copy, in: {in: h.next}}\noutputs: {y: [a.out, h.done]}\n").empty());
  CHECK(check(loop + "outputs: {y: h.next, z: h.done}\n") == "E0412 E0412");
}

TEST_CASE("both ends of a turn may be decided by a merge inside it") {
  CHECK(check("stages:\n"
              "  h: {kernel: route, in: {in: [x, {from: s.again, loop: {max: 4, name: l}}]}}\n"
              "  a: {kernel: copy, in: {in: h.left}}\n"
              "  s: {kernel: step, in: {x: [a.out, h.right]}}\n"
              "outputs: {y: s.done}\n")
            .empty());
}

TEST_CASE("a loop that lies on a branch is entered on that branch only") {
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  s: {kernel: step, in: {x: [r.left, {from: s.again, loop: {max: 4}}]}}\n"
              "outputs: {y: [s.done, r.right]}\n")
            .empty());
  CHECK(check("stages:\n"
              "  r: {kernel: route, in: {in: x}}\n"
              "  s: {kernel: step, in: {x: [r.left, {from: s.again, loop: {max: 4}}]}}\n"
              "  j: {kernel: join2, in: {a: s.done, b: x}}\n"
              "outputs: {y: [j.out, r.right]}\n") == "E0408");
}

TEST_CASE("two loop edges in one turn must be alternatives") {
  CHECK(check("stages:\n"
              "  h: {kernel: triple, in: {in: [x, {from: h.again, loop: {max: 4}}, {from: h.next, loop: {}}]}}\n"
              "outputs: {y: h.done}\n")
            .empty());
  CHECK(check("stages:\n"
              "  h: {kernel: split, in: {in: [x, {from: s.again, loop: {max: 4, name: l}}, {from: t.again, loop: "
              "{name: l}}]}}\n"
              "  s: {kernel: step, in: {x: h.a}}\n"
              "  t: {kernel: step, in: {x: h.b}}\n"
              "outputs: {y: s.done, z: t.done}\n") == "E0407");
}

TEST_CASE("two inputs of a loop must take the next turn together") {
  CHECK(check("stages:\n"
              "  h: {kernel: join2, in: {a: [x, {from: s.again, loop: {max: 4, name: l}}], b: [x, {from: t.a, loop: "
              "{name: l}}]}}\n"
              "  s: {kernel: step, in: {x: h.out}}\n"
              "  t: {kernel: split, in: {in: s.again}}\n"
              "  u: {kernel: store, in: {in: t.b}}\n"
              "outputs: {y: s.done}\n") == "E0410");  // u is done once per turn
  CHECK(check("stages:\n"
              "  h: {kernel: join2, in: {a: [x, {from: t.a, loop: {max: 4, name: l}}], b: [x, {from: t.b, loop: {name: "
              "l}}]}}\n"
              "  s: {kernel: step, in: {x: h.out}}\n"
              "  t: {kernel: split, in: {in: s.again}}\n"
              "outputs: {y: s.done}\n")
            .empty());
}

}  // namespace
}  // namespace woa
