// Large graphs compile; how long it takes is for a benchmark to say.
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

std::string name(const char* prefix, int i) { return prefix + std::to_string(i); }

TEST_CASE("10,000 stages in a chain") {
  std::string body = "stages:\n  s0: {kernel: copy, in: {in: x}}\n";
  for (int i = 1; i < 10'000; ++i)
    body += "  " + name("s", i) + ": {kernel: copy, in: {in: " + name("s", i - 1) + ".out}}\n";
  const Plan plan = test::compile_good(body + "outputs: {y: s9999.out}\n");
  CHECK(plan.stages.size() == 10'002);
  CHECK(plan.window > 1);
}

TEST_CASE("4,000 branches one after the other") {
  std::string body = "stages:\n", writer = "x";
  for (int i = 0; i < 4'000; ++i) {
    body += "  " + name("r", i) + ": {kernel: route, in: {in: " + writer + "}}\n";
    body +=
        "  " + name("m", i) + ": {kernel: copy, in: {in: [" + name("r", i) + ".left, " + name("r", i) + ".right]}}\n";
    writer = name("m", i) + ".out";
  }
  test::compile_good(body + "outputs: {y: " + writer + "}\n");
}

TEST_CASE("4,990 branches one behind the other, which all end at one output") {
  std::string body = "stages:\n", last = "x", exits;
  for (int i = 0; i < 4'990; ++i) {
    body += "  " + name("r", i) + ": {kernel: route, in: {in: " + last + "}}\n";
    exits += name("r", i) + ".left, ";
    last = name("r", i) + ".right";
  }
  test::compile_good(body + "outputs: {y: [" + exits + last + "]}\n");
  body += "  last: {kernel: route, in: {in: " + last + "}}\n";
  for (int i = 0; i < 20; ++i) {
    body += "  " + name("e", i) + ": {kernel: route, in: {in: " + (i == 0 ? "last" : name("e", i - 1)) + ".left}}\n";
    exits += name("e", i) + ".right, ";
  }
  CHECK(test::codes(test::graph_text(body + "outputs: {y: [" + exits + "e19.left, last.right]}\n")) == "E0417");
}

TEST_CASE("how many tokens an edge holds is either found or said not to be") {
  // Two ways that cross at every rung, in a loop of many turns: each edge holds one token, which takes steps to show.
  const auto ladder = [](int rungs) {
    std::string body = "stages:\n  h: {kernel: copy, in: {in: [x, {from: c.left, loop: {max: 5000, name: l}}]}}\n";
    std::string a = "h.out", b = "h.out";
    for (int k = 0; k < rungs; ++k) {
      const std::string p = "p" + std::to_string(k), q = "q" + std::to_string(k);
      body += "  " + p + ": {kernel: join2, in: {a: " + a + ", b: " + b + "}}\n";
      body += "  " + q + ": {kernel: join2, in: {a: " + b + ", b: " + a + "}}\n";
      a = p + ".out", b = q + ".out";
    }
    body += "  j: {kernel: join2, in: {a: " + a + ", b: " + b + "}}\n  c: {kernel: route, in: {in: j.out}}\n";
    return test::graph_text(body + "outputs: {y: c.right}\n");
  };
  CHECK(test::codes(ladder(100)).empty());
  CHECK(test::codes(ladder(3000)) == "E0417");
}

TEST_CASE("3,000 loops one after the other, and a loop of 3,000 stages") {
  std::string chain = "stages:\n",
              ring = "stages:\n  h: {kernel: copy, in: {in: [x, {from: s.again, loop: {max: 5, name: l}}]}}\n";
  std::string writer = "x", last = "h.out";
  for (int i = 0; i < 3'000; ++i) {
    const std::string s = name("s", i);
    chain += "  " + s + ": {kernel: step, in: {x: [" + writer + ", {from: " + s + ".again, loop: {max: 5}}]}}\n";
    writer = s + ".done";
    ring += "  " + s + ": {kernel: copy, in: {in: " + last + "}}\n";
    last = s + ".out";
  }
  test::compile_good(chain + "outputs: {y: " + writer + "}\n");
  const Plan plan = test::compile_good(ring + "  s: {kernel: step, in: {x: " + last + "}}\noutputs: {y: s.done}\n");
  for (const EdgePlan& edge : plan.edges) CHECK(edge.min_blocks == 1);
}

TEST_CASE("loops nested 20 deep") {
  std::string body = "stages:\n", from = "x";
  for (int i = 0; i < 20; ++i) {
    body += "  " + name("h", i) + ": {kernel: copy, in: {in: [" + from + ", {from: " + name("t", i) +
            ".again, loop: {max: 3, name: " + name("l", i) + "}}]}}\n";
    from = name("h", i) + ".out";
  }
  for (int i = 19; i >= 0; --i) {
    body += "  " + name("t", i) + ": {kernel: step, in: {x: " + from + "}}\n";
    from = name("t", i) + ".done";
  }
  const Plan plan = test::compile_good(body + "outputs: {y: " + from + "}\n");
  CHECK(plan.loops[0].shift == 38);  // the outermost
}

TEST_CASE("more output ports than a plan can number are refused where they begin to be too many") {
  std::string body = "stages:\n", writer = "x";
  for (int i = 0; i < 1'100; ++i) {
    body += "  " + name("s", i) + ": {kernel: copy, in: {in: " + writer + "}, replicas: 64}\n";
    writer = name("s", i) + ".out";
  }
  const std::string text = test::graph_text(body + "outputs: {y: " + writer + "}\n");
  const Compilation result = compile_text(text, "graph.yaml", "folder", test::fixture_options());
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].code == "E0901");
  CHECK(result.diagnostics[0].source_line.find("s1023:") != std::string::npos);  // 1 + 64 x 1,024 ports
  CompileOptions only_check = test::fixture_options();
  only_check.only_check = true;
  CHECK(test::say(compile_text(text, "graph.yaml", "folder", only_check)).empty());
}

}  // namespace
}  // namespace woa
