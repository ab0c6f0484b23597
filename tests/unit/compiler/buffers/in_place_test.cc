// The compiler lets a kernel write over its input, if it offers that. `patch` offers it, `copy` does not.
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

using test::compile_good;
using test::stage_of;

bool in_place(const Plan& plan, const std::string& stage) { return stage_of(plan, stage).outputs[0].in_place == 0; }

TEST_CASE("a kernel that offers it writes over what nobody else reads") {
  const Plan plan = compile_good(
      "stages:\n"
      "  a: {kernel: patch, in: {in: x}}\n"
      "  b: {kernel: copy, in: {in: a.out}}\n"
      "  c: {kernel: patch, in: {in: b.out}}\n"
      "  d: {kernel: patch, in: {in: c.out}}\n"
      "outputs: {y: d.out}\n");
  CHECK(in_place(plan, "a"));
  CHECK_FALSE(in_place(plan, "b"));
  CHECK(in_place(plan, "c"));
  CHECK(in_place(plan, "d"));
}

TEST_CASE("what others read is left alone") {
  const Plan plan = compile_good(
      "stages:\n"
      "  a: {kernel: patch, in: {in: x}}\n"
      "  b: {kernel: patch, in: {in: x}}\n"
      "  c: {kernel: patch, in: {in: b.out}}\n"
      "outputs: {y: a.out, z: c.out, w: b.out}\n");
  for (const char* stage : {"a", "b", "c"}) CHECK_FALSE(in_place(plan, stage));
}

TEST_CASE("a device writes into memory of its own") {
  const Plan plan = compile_good(
      "stages:\n"
      "  a: {kernel: patch, in: {in: x}, on: \"gpu:0\"}\n"
      "  b: {kernel: patch, in: {in: a.out}, on: \"cpu:0\"}\n"
      "outputs: {y: b.out}\n");
  CHECK_FALSE(in_place(plan, "a"));
  CHECK(in_place(plan, "b"));
}

TEST_CASE("branches, merges and loops") {
  const Plan branch = compile_good(
      "stages:\n"
      "  r: {kernel: route, in: {in: x}}\n"
      "  a: {kernel: patch, in: {in: r.left}}\n"
      "  b: {kernel: patch, in: {in: a.out}}\n"
      "outputs: {y: [b.out, r.right]}\n");
  CHECK(in_place(branch, "a"));        // alone on its branch
  CHECK_FALSE(in_place(branch, "b"));  // its reader has another writer
  const Plan loop = compile_good(
      "stages:\n"
      "  a: {kernel: patch, in: {in: x}}\n"
      "  s: {kernel: step, in: {x: [a.out, {from: p.out, loop: {max: 3}}]}}\n"
      "  p: {kernel: patch, in: {in: s.again}}\n"
      "  d: {kernel: patch, in: {in: s.done}}\n"
      "outputs: {y: d.out}\n");
  CHECK_FALSE(in_place(loop, "a"));
  CHECK_FALSE(in_place(loop, "p"));
  CHECK(in_place(loop, "d"));
}

TEST_CASE("a token that every replica holds is left alone") {
  const Plan plan = compile_good(
      "inputs: {x: {type: bytes, max: 1MiB}, z: {type: bytes, max: 1MiB}}\n"
      "stages:\n"
      "  c: {kernel: copy, in: {in: x}, replicas: 2}\n"
      "  a: {kernel: patch, in: {in: c.out}, replicas: 2}\n"
      "  j: {kernel: join2, in: {a: z, b: {from: a.out, hold: true}}, replicas: 2}\n"
      "outputs: {y: j.out}\n");
  CHECK_FALSE(in_place(plan, "a[0]"));
  CHECK_FALSE(in_place(plan, "a[1]"));
}

TEST_CASE("elements of a scatter are left alone") {
  const Plan plan = compile_good(
      "stages:\n"
      "  c: {kernel: cut, in: {in: x}}\n"
      "  a: {kernel: patch, in: {in: c.piece}}\n"
      "  b: {kernel: patch, in: {in: a.out}}\n"
      "  p: {kernel: paste, in: {pieces: b.out}}\n"
      "outputs: {y: p.out}\n",
      test::program_options());
  CHECK_FALSE(in_place(plan, "a"));
  CHECK_FALSE(in_place(plan, "b"));
}

TEST_CASE("one block passes through a bounded number of stages") {
  std::string body = "stages:\n  s0: {kernel: patch, in: {in: x}}\n";
  for (int k = 1; k < 200; ++k) {
    body += "  s" + std::to_string(k) + ": {kernel: patch, in: {in: s" + std::to_string(k - 1) + ".out}}\n";
  }
  const Plan plan = compile_good(body + "outputs: {y: s199.out}\n");
  int passed = 0;
  for (int k = 0; k < 200; ++k) passed += in_place(plan, "s" + std::to_string(k)) ? 1 : 0;
  CHECK(passed > 180);
  CHECK(passed < 200);
}

}  // namespace
}  // namespace woa
