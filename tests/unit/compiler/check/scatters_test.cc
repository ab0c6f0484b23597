// How scatters and loops nest, and what that makes of tags and blocks.
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

using test::edge_of;
using test::stage_of;

CompileOptions with_scatters() {
  CompileOptions options = test::fixture_options();
  options.kernel_path.push_back(std::string(WOA_SOURCE_DIR) + "/tests/support/kernels");
  return options;
}

const EdgePlan& count_of(const Plan& plan, const std::string& reader) {
  for (const EdgePlan& edge : plan.edges) {
    if (edge.count && plan.stages[edge.to_stage].name == reader) return edge;
  }
  throw std::out_of_range("no count for " + reader);
}

std::string codes(const std::string& body) { return test::codes(test::graph_text(body), with_scatters()); }

const std::string kPlain =
    "stages:\n"
    "  c: {kernel: cut, in: {in: x}}\n"
    "  w: {kernel: copy, in: {in: c.piece}}\n"
    "  p: {kernel: paste, in: {pieces: w.out}}\n"
    "outputs: {y: p.out}\n";

TEST_CASE("a scatter has a field of the tag, a factor in b(e) and a count") {
  const Plan plan = test::compile_good(kPlain, with_scatters());
  CHECK(plan.loops.empty());
  const OutputPortPlan& piece = stage_of(plan, "c").outputs[0];
  CHECK(piece.many == 4);
  CHECK(piece.index_shift == 0);
  CHECK(piece.index_bits == 2);
  const InputPortPlan& pieces = stage_of(plan, "p").inputs[0];
  CHECK(pieces.gather == 4);
  CHECK(pieces.index_bits == 2);
  CHECK(edge_of(plan, "source.x", "c.in").min_blocks == 1);
  CHECK(edge_of(plan, "c.piece", "w.in").min_blocks == 4);
  CHECK(edge_of(plan, "c.piece", "w.in").keep == 0);
  CHECK(edge_of(plan, "w.out", "p.pieces").min_blocks == 4);
  CHECK(edge_of(plan, "w.out", "p.pieces").keep == 3);
  CHECK(edge_of(plan, "p.out", "sink.y").keep == 0);
  CHECK(count_of(plan, "p").min_blocks == 1);
  CHECK(count_of(plan, "p").keep == 0);
}

TEST_CASE("scatters nest as deep as a tag has bits, and no deeper") {
  constexpr int kTooDeep = 200;
  std::string body = "stages:\n", from = "x";
  for (int s = 0; s < kTooDeep; ++s) {
    body += "  c" + std::to_string(s) + ": {kernel: cut, in: {in: " + from + "}}\n";
    from = "c" + std::to_string(s) + ".piece";
  }
  for (int s = 0; s < kTooDeep; ++s) {
    body += "  p" + std::to_string(s) + ": {kernel: paste, in: {pieces: " + from + "}}\n";
    from = "p" + std::to_string(s) + ".out";
  }
  const Compilation result =
      compile_text(test::graph_text(body + "outputs: {y: " + from + "}\n"), "graph.yaml", "folder", with_scatters());
  REQUIRE(result.diagnostics.size() == 1);
  CHECK(result.diagnostics[0].text == "scatters are nested deeper than 64");
}

TEST_CASE("nested scatters multiply, and have fields side by side") {
  const Plan plan = test::compile_good(
      "stages:\n"
      "  c: {kernel: cut, in: {in: x}}\n"
      "  d: {kernel: cut, in: {in: c.piece}}\n"
      "  w: {kernel: join2, in: {a: d.piece, b: {from: c.piece, hold: true}}}\n"
      "  p: {kernel: paste, in: {pieces: w.out}}\n"
      "  q: {kernel: paste, in: {pieces: p.out}}\n"
      "outputs: {y: q.out}\n",
      with_scatters());
  CHECK(stage_of(plan, "c").outputs[0].index_shift == 2);
  CHECK(stage_of(plan, "d").outputs[0].index_shift == 0);
  CHECK(edge_of(plan, "d.piece", "w.a").min_blocks == 16);
  CHECK(edge_of(plan, "d.piece", "w.a").keep == 12);
  CHECK(edge_of(plan, "w.out", "p.pieces").keep == 15);
  CHECK(edge_of(plan, "p.out", "q.pieces").keep == 12);
  CHECK(edge_of(plan, "p.out", "q.pieces").min_blocks == 4);
  CHECK(stage_of(plan, "w").inputs[1].hold_mask == 12);
  CHECK(count_of(plan, "p").min_blocks == 4);
  CHECK(count_of(plan, "p").keep == 12);
  CHECK(count_of(plan, "q").min_blocks == 1);
}

TEST_CASE("turns of a loop around a scatter follow one another; loops in a scatter do not") {
  const Plan around = test::compile_good(
      "stages:\n"
      "  c: {kernel: cut, in: {in: [x, {from: s.again, loop: {max: 6}}]}}\n"
      "  w: {kernel: copy, in: {in: c.piece}}\n"
      "  p: {kernel: paste, in: {pieces: w.out}}\n"
      "  s: {kernel: step, in: {x: p.out}}\n"
      "outputs: {y: s.done}\n",
      with_scatters());
  CHECK(around.loops[0].shift == 2);
  CHECK(edge_of(around, "c.piece", "w.in").min_blocks == 4);
  CHECK(edge_of(around, "w.out", "p.pieces").min_blocks == 4);
  CHECK(edge_of(around, "s.again", "c.in").min_blocks == 1);
  CHECK(count_of(around, "p").min_blocks == 1);
  const Plan inside = test::compile_good(
      "stages:\n"
      "  c: {kernel: cut, in: {in: x}}\n"
      "  s: {kernel: step, in: {x: [c.piece, {from: s.again, loop: {max: 6}}]}}\n"
      "  p: {kernel: paste, in: {pieces: s.done}}\n"
      "outputs: {y: p.out}\n",
      with_scatters());
  CHECK(inside.loops[0].shift == 0);
  CHECK(stage_of(inside, "c").outputs[0].index_shift == 3);
  CHECK(edge_of(inside, "s.again", "s.x").min_blocks == 8);  // twice for each element
  CHECK(edge_of(inside, "s.done", "p.pieces").keep == 0x18);
}

TEST_CASE("a scatter may be empty of stages, and several may gather it") {
  const Plan plan = test::compile_good(
      "stages:\n"
      "  c: {kernel: cut, in: {in: x}}\n"
      "  p: {kernel: paste, in: {pieces: c.piece}}\n"
      "  w: {kernel: copy, in: {in: c.piece}}\n"
      "  q: {kernel: paste, in: {pieces: w.out}}\n"
      "outputs: {y: p.out, z: q.out}\n",
      with_scatters());
  CHECK(edge_of(plan, "c.piece", "p.pieces").keep == 0);  // the writer adds the number
  CHECK(count_of(plan, "p").from_stage == count_of(plan, "q").from_stage);
}

TEST_CASE("in a scatter elements choose the replica") {
  CompileOptions options = with_scatters();
  options.replicas = {{"w", 3}};
  const Plan plan = test::compile_good(kPlain, options);
  const ReplicaChoice& choice = edge_of(plan, "c.piece", "w[2].in").choice;
  CHECK(choice.replicas == 3);
  CHECK(choice.replica == 2);
  CHECK(choice.bits == 2);
  CHECK(edge_of(plan, "w[2].out", "p.pieces").choice.replicas == 1);
}

TEST_CASE("what does not fit is refused") {
  const std::string cut = "stages:\n  c: {kernel: cut, in: {in: x}}\n";
  CHECK(codes("stages: {p: {kernel: paste, in: {pieces: x}}}\noutputs: {y: p.out}\n") == "E0420");
  CHECK(codes(cut + "outputs: {y: c.piece}\n") == "E0422");
  CHECK(codes(cut + "  j: {kernel: join2, in: {a: c.piece, b: x}}\n  p: {kernel: paste, in: {pieces: j.out}}\n" +
              "outputs: {y: p.out}\n") == "E0421");
  CHECK(codes(cut + "  p: {kernel: paste, in: {pieces: {from: c.piece, hold: true}}}\noutputs: {y: p.out}\n") != "");
  CHECK(codes(cut + "  r: {kernel: route, in: {in: c.piece}}\n  p: {kernel: paste, in: {pieces: r.left}}\n" +
              "  q: {kernel: paste, in: {pieces: r.right}}\noutputs: {y: p.out, z: q.out}\n") == "E0408 E0408");
  // 4 elements of 4 of 4 and so on, eight times: of the seventh scatter there are more than 4096, and so of all edges
  // as deep or deeper, for which one message stands.
  std::string deep = cut;
  for (const char* name : {"d", "e", "f", "g", "h", "i", "j"})
    deep += std::string("  ") + name + ": {kernel: cut, in: {in: " + static_cast<char>(name[0] - 1) + ".piece}}\n";
  std::string from = "j.piece";
  for (int k = 0; k < 8; ++k) {
    deep += "  p" + std::to_string(k) + ": {kernel: paste, in: {pieces: " + from + "}}\n";
    from = "p" + std::to_string(k) + ".out";
  }
  CHECK(codes(deep + "outputs: {y: " + from + "}\n") == "E0415");
}

}  // namespace
}  // namespace woa
