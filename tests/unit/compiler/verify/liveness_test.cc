// Liveness shown anew from a plan: of every plan that the compiler makes, under every call model, it is; of a plan that
// was changed where it matters, it is not.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/call_models/call_model.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

std::vector<CertifiedPlan> plans_of_the_tree() {
  const fs::path root = WOA_SOURCE_DIR;
  CompileOptions options;
  options.kernel_path = {root / "kernels"};
  std::vector<CertifiedPlan> plans;
  for (const auto& entry : fs::directory_iterator(root / "graphs")) {
    if (entry.path().extension() != ".yaml") continue;
    Compilation result = compile_file(entry.path(), options);
    INFO(entry.path() << test::say(result));
    REQUIRE(result.plan.has_value());
    plans.push_back(std::move(*result.plan));
  }
  REQUIRE(plans.size() >= 16);
  return plans;
}

void check_refused(const CertifiedPlan& changed, const std::string& says) {
  const Status status = verify_liveness(changed);
  INFO(status.message());
  CHECK(status.code() == Code::kInvalid);
  CHECK(status.message().find(says) != std::string::npos);
}

// No valid plan, or not a live one.
void check_false(const CertifiedPlan& changed) {
  CHECK_FALSE((validate(changed).ok() && verify_liveness(changed).ok()));
}

TEST_CASE("plans that the compiler makes are live, and say so without relays only") {
  for (const CertifiedPlan& plan : plans_of_the_tree()) {
    const Status live = verify_liveness(plan);
    INFO(plan.graph << ": " << live.message());
    CHECK(live.ok());
    const auto calls = rewrite(plan, "rpc-hub");
    REQUIRE(calls.ok());
    check_refused(CertifiedPlan(*calls), "is a relay");
  }
}

TEST_CASE("one block less for an instance, or another tag, is refused at every edge") {
  std::size_t several = 0;
  for (const CertifiedPlan& plan : plans_of_the_tree()) {
    for (std::size_t e = 0; e < plan.edges.size(); ++e) {
      INFO(plan.graph << ", edge " << e);
      CertifiedPlan changed = plan;
      --changed.edges[e].min_blocks;
      if (changed.edges[e].min_blocks > 0) {
        check_refused(changed, "blocks for an instance");
        ++several;
      }
      changed = plan;
      changed.edges[e].keep ^= 1;
      check_false(changed);
      changed = plan;
      changed.edges[e].step += 1;
      check_false(changed);
      changed = plan;
      changed.edges[e].choice.replicas += 1;
      check_false(changed);
      changed = plan;
      changed.edges.erase(changed.edges.begin() + static_cast<std::ptrdiff_t>(e));
      check_false(changed);
    }
  }
  CHECK(several >= 5);
}

CertifiedPlan compiled(const std::string& stages) { return test::compile_good("stages:\n" + stages); }

TEST_CASE("what makes a graph live is named when it is taken away") {
  CertifiedPlan plan = compiled(
      "  r: {kernel: route, in: {in: x}}\n  a: {kernel: copy, in: {in: r.left}}\n"
      "  b: {kernel: copy, in: {in: r.right}}\noutputs: {y: [a.out, b.out]}\n");
  REQUIRE(verify_liveness(plan).ok());
  for (OutputPortPlan& port : plan.stages[2].outputs) port.one_of = -1;  // both are written
  check_refused(plan, "may both write");

  plan = compiled("  s: {kernel: step, in: {x: [x, {from: s.again, loop: {max: 9}}]}}\noutputs: {y: s.done}\n");
  REQUIRE(verify_liveness(plan).ok());
  REQUIRE(plan.loops.size() == 1);
  CertifiedPlan endless = plan;
  for (EdgePlan& edge : endless.edges) edge.loop = -1;
  check_refused(endless, "cycle");
  plan.loops[0].max = 1'000'000;  // more than its counter holds
  check_refused(plan, "counters");
}

TEST_CASE("held tokens are freed only where the order of turns allows it") {
  const CertifiedPlan plan = test::compile_good(
      "stages:\n"
      "  h: {kernel: split, in: {in: [x, {from: t.again, loop: {max: 60000}}]}}\n"
      "  i: {kernel: step2, in: {x: [h.a, {from: i.again, loop: {max: 9}}], y: {from: h.b, hold: true}}}\n"
      "  t: {kernel: step2, in: {x: i.done, y: {from: x, hold: true}}}\n"
      "outputs: {y: t.done}\n");
  CHECK(verify_liveness(plan).message() == "");
  std::size_t changes = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    for (std::size_t p = 0; p < plan.stages[s].inputs.size(); ++p) {
      CertifiedPlan changed = plan;
      InputPortPlan& port = changed.stages[s].inputs[p];
      if (!port.hold) continue;
      port.renewed = !port.renewed;
      check_refused(changed, "stage '" + plan.stages[s].name + "' frees held tokens otherwise");
      ++changes;
    }
  }
  CHECK(changes == 2);  // one is renewed, the other is not
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    if (plan.edges[e].min_blocks != 3) continue;
    CertifiedPlan changed = plan;
    changed.edges[e].min_blocks = 2;
    check_refused(changed, "which may hold b(e) = 3");
  }
}

TEST_CASE("stages whose names are those of replicas are none") {
  CertifiedPlan plan = compiled(
      "  x_0_: {kernel: copy, in: {in: x}}\n  x_1_: {kernel: join2, in: {a: x_0_.out, b: x}}\noutputs: {y: "
      "x_1_.out}\n");
  REQUIRE(verify_liveness(plan).ok());
  plan.stages[2].name = "x[0]";
  plan.stages[3].name = "x[1]";
  REQUIRE(validate(plan).ok());
  CHECK(verify_liveness(plan).code() == Code::kInvalid);
}

TEST_CASE("nothing is written over elements that are gathered") {
  for (CertifiedPlan& plan : plans_of_the_tree()) {
    for (StagePlan& stage : plan.stages) {
      if (stage.role != StageRole::kKernel || stage.inputs[0].gather == 0) continue;
      stage.outputs[0].in_place = 0;
      INFO(plan.graph << ", " << stage.name);
      CHECK(validate(plan).message().find("in place") != std::string::npos);
      stage.outputs[0].in_place = -1;
    }
  }
}

}  // namespace
}  // namespace woa
