// The blocks that a plan gives to one instance: shown to be enough by what stands in the plan alone, enough when no
// edge has more, and no more than needed where docs/liveness.md says so.
#include "compiler/certificate/live_blocks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/compiler/check/token_game.h"
#include "tests/unit/compiler/fixture.h"

namespace woa::test {
namespace {

std::string shown(const CertifiedPlan& plan) { return verify_blocks(plan).message(); }

std::vector<std::uint32_t> live_blocks(const CertifiedPlan& plan) {
  std::vector<std::uint32_t> live;
  for (const EdgePlan& edge : plan.edges) live.push_back(edge.min_blocks);
  return live;
}

// True if one of `games` games gets stuck with these blocks.
bool blocks(const CertifiedPlan& plan, const std::vector<std::uint32_t>& capacity, Random& random, int games) {
  for (int i = 0; i < games; ++i) {
    if (Game(plan, random, capacity).play() == Game::kStuck) return true;
  }
  return false;
}

const std::string kLoop =
    "stages:\n"
    "  head: {kernel: split, in: {in: [x, {from: end.again, loop: {max: 5}}]}}\n"
    "  side: {kernel: copy, in: {in: head.b}}\n"
    "  end: {kernel: step2, in: {x: side.out, y: {from: head.a, hold: true}}}\n"
    "outputs: {y: end.done}\n";

TEST_CASE("turns that follow one another are shown by an invariant") {
  CertifiedPlan plan = compile_good(kLoop);
  CHECK(shown(plan) == "");
  CHECK(edge_of(plan, "head.b", "side.in").min_blocks == 1);
  CHECK(edge_of(plan, "head.a", "end.y").min_blocks == 3);  // held: renewed in each turn
  REQUIRE_FALSE(plan.invariants.empty());
  plan.invariants.clear();
  CHECK(shown(plan).find(" has 1 blocks for one instance, which may need 6") != std::string::npos);
}

TEST_CASE("loops in a row are shown together, not each by a way of its own from the source") {
  std::string body = "stages:\n", last = "x";
  for (int loop = 0; loop < 200; ++loop) {
    const std::string name = "s" + std::to_string(loop), side = "t" + std::to_string(loop);
    body += "  " + name + ": {kernel: step, in: {x: [" + last + ", {from: " + side + ".out, loop: {max: 5}}]}}\n";
    body += "  " + side + ": {kernel: copy, in: {in: " + name + ".again}}\n";
    last = name + ".done";
  }
  const CertifiedPlan plan = compile_good(body + "outputs: {y: " + last + "}\n");
  CHECK(shown(plan) == "");
  std::size_t weights = 0;
  for (const Invariant& invariant : plan.invariants) weights += invariant.weights.size();
  CHECK(weights < 10 * plan.edges.size());
  for (const EdgePlan& edge : plan.edges) CHECK_FALSE(edge.claimed);
}

TEST_CASE("a graph without loops and scatters needs no invariant") {
  const CertifiedPlan plan = compile_good(
      "stages:\n"
      "  r: {kernel: route, in: {in: x}}\n"
      "  a: {kernel: copy, in: {in: r.left}}\n"
      "outputs: {y: [a.out, r.right]}\n");
  CHECK(plan.invariants.empty());
  CHECK(shown(plan) == "");
  for (const EdgePlan& edge : plan.edges) CHECK(necessary_blocks(plan, edge) == 1);
}

TEST_CASE("a stage that feeds itself needs two blocks, and blocks with one") {
  const CertifiedPlan plan = compile_good(
      "stages:\n"
      "  s: {kernel: step, in: {x: [x, {from: s.again, loop: {max: 5}}]}}\n"
      "outputs: {y: s.done}\n");
  CHECK(shown(plan) == "");
  CHECK(edge_of(plan, "s.again", "s.x").min_blocks == 2);
  Random random(1);
  std::vector<std::uint32_t> capacity = live_blocks(plan);
  CHECK_FALSE(blocks(plan, capacity, random, 200));
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    capacity[e] = plan.edges[e].min_blocks - 1;
    CHECK(blocks(plan, capacity, random, 200));
    capacity[e] = plan.edges[e].min_blocks;
  }
}

TEST_CASE("where no invariant is found the plan says so, and not elsewhere") {
  CertifiedPlan plan = compile_good(kLoop);
  plan.invariants.clear();
  const auto proved = proved_blocks(plan);
  REQUIRE(proved.ok());
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const bool enough = plan.edges[e].min_blocks >= (*proved)[e];
    plan.edges[e].claimed = true;
    if (enough) CHECK(shown(plan).find("is said to be claimed, but it is proved") != std::string::npos);
    plan.edges[e].claimed = !enough;
  }
  CHECK(shown(plan) == "");
}

TEST_CASE("replicas need as much each as one stage, of elements only their share") {
  CompileOptions options = program_options();
  options.replicas = {{"w", 2}};
  const CertifiedPlan plan = compile_good(
      "stages:\n"
      "  c: {kernel: cut, in: {in: [x, {from: s.again, loop: {max: 6}}]}}\n"
      "  w: {kernel: copy, in: {in: c.piece}}\n"
      "  p: {kernel: paste, in: {pieces: w.out}}\n"
      "  s: {kernel: step, in: {x: p.out}}\n"
      "outputs: {y: s.done}\n",
      options);
  CHECK(shown(plan) == "");
  for (const EdgePlan& edge : plan.edges) {
    if (plan.stages[edge.to_stage].name == "w[1]") CHECK(necessary_blocks(plan, edge) == 2);
  }
  // To the gather, too, though its port takes all elements: each replica brings its share.
  std::vector<std::uint32_t> capacity = live_blocks(plan);
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (plan.edges[e].count || plan.stages[plan.edges[e].to_stage].name != "p") continue;
    CHECK(necessary_blocks(plan, plan.edges[e]) == 2);
    CHECK(plan.edges[e].min_blocks > 2);
    capacity[e] = 2;
  }
  Random random(3);
  CHECK_FALSE(blocks(plan, capacity, random, 200));
}

// Every edge of every graph, one after the other.
struct Tried {
  int edges = 0, least = 0, blocked = 0;
};

Tried try_edges(const CertifiedPlan& plan, Random& random) {
  Tried tried;
  std::vector<std::uint32_t> capacity = live_blocks(plan);
  CHECK_FALSE(blocks(plan, capacity, random, 50));
  for (std::size_t e = 0; e < plan.edges.size(); ++e, ++tried.edges) {
    const std::uint32_t needed = necessary_blocks(plan, plan.edges[e]);
    REQUIRE(needed <= plan.edges[e].min_blocks);
    if (needed != plan.edges[e].min_blocks) continue;
    ++tried.least;
    --capacity[e];
    tried.blocked += blocks(plan, capacity, random, 5000) ? 1 : 0;
    ++capacity[e];
  }
  return tried;
}

TEST_CASE("with as many blocks as are live no game gets stuck; with one less, where they are the least, one does") {
  Random random(7);
  Tried all;
  for (int i = 0; i < 150; ++i) {
    const std::string body = any_body(random);
    INFO(body);
    const CertifiedPlan plan = compile_good(body, program_options());
    CHECK(shown(plan) == "");
    CHECK(std::none_of(plan.edges.begin(), plan.edges.end(), [](const EdgePlan& edge) { return edge.claimed; }));
    const Tried tried = try_edges(plan, random);
    all.edges += tried.edges, all.least += tried.least, all.blocked += tried.blocked;
    CHECK(tried.blocked == tried.least);
  }
  CHECK(2 * all.least > all.edges);  // most are
}

}  // namespace
}  // namespace woa::test
