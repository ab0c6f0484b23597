// Liveness shown anew from a plan: of every plan that the compiler makes, under every call model, it is; of a plan that
// was changed where it matters, it is not.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/rpc/call_model.h"
#include "tests/support/catch.h"
#include "tests/unit/compiler/fixture.h"

namespace woa {
namespace {

namespace fs = std::filesystem;

std::vector<Plan> plans_of_the_tree() {
  const fs::path root = WOA_SOURCE_DIR;
  CompileOptions options;
  options.kernel_path = {root / "kernels"};
  std::vector<Plan> plans;
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

void check_refused(const Plan& changed, const std::string& says) {
  const Status status = verify_liveness(changed);
  INFO(status.message());
  CHECK(status.code() == Code::kInvalid);
  CHECK(status.message().find(says) != std::string::npos);
}

// No valid plan, or not a live one.
void check_false(const Plan& changed) { CHECK_FALSE((validate(changed).ok() && verify_liveness(changed).ok())); }

// Of the others nothing is shown but that they say so.
constexpr std::string_view kShownModels[] = {"woa", "rpc-fused", "rpc-hub"};

TEST_CASE("plans that the compiler makes are live under every call model") {
  for (const Plan& plan : plans_of_the_tree()) {
    for (const std::string_view model : kCallModels) {
      const auto calls = rewrite(plan, model);
      const bool is_shown = std::ranges::count(kShownModels, model) != 0;
      REQUIRE((calls.ok() || (!is_shown && calls.status().code() == Code::kUnsupported)));
      if (!calls.ok()) continue;
      const Status live = verify_liveness(*calls);
      INFO(plan.graph << " " << model << ": " << live.message());
      CHECK(live.ok());
      if (is_shown) continue;
      CHECK(std::ranges::all_of(calls->edges, [](const EdgePlan& edge) { return edge.claimed; }));
      Plan changed = *calls;
      changed.edges.back().claimed = false;
      check_refused(changed, "is said to be proved");
    }
  }
}

TEST_CASE("one block less for an instance, or another tag, is refused at every edge") {
  std::size_t several = 0;
  for (const Plan& plan : plans_of_the_tree()) {
    for (const std::string_view model : kShownModels) {
      const Plan calls = *rewrite(plan, model);
      for (std::size_t e = 0; e < calls.edges.size(); ++e) {
        INFO(plan.graph << " " << model << ", edge " << e);
        Plan changed = calls;
        --changed.edges[e].min_blocks;
        if (changed.edges[e].min_blocks > 0) {
          check_refused(changed, "blocks for an instance");
          ++several;
        }
        changed = calls;
        changed.edges[e].keep ^= 1;
        check_false(changed);
        changed = calls;
        changed.edges[e].step += 1;
        check_false(changed);
        changed = calls;
        changed.edges[e].choice.replicas += 1;
        check_false(changed);
        changed = calls;
        changed.edges.erase(changed.edges.begin() + static_cast<std::ptrdiff_t>(e));
        check_false(changed);
      }
    }
  }
  CHECK(several >= 10);
}

Plan compiled(const std::string& stages) { return test::compile_good("stages:\n" + stages); }

TEST_CASE("what makes a graph live is named when it is taken away") {
  Plan plan = compiled(
      "  r: {kernel: route, in: {in: x}}\n  a: {kernel: copy, in: {in: r.left}}\n"
      "  b: {kernel: copy, in: {in: r.right}}\noutputs: {y: [a.out, b.out]}\n");
  REQUIRE(verify_liveness(plan).ok());
  for (OutputPortPlan& port : plan.stages[2].outputs) port.one_of = -1;  // both are written
  check_refused(plan, "may both write");

  plan = compiled("  s: {kernel: step, in: {x: [x, {from: s.again, loop: {max: 9}}]}}\noutputs: {y: s.done}\n");
  REQUIRE(verify_liveness(plan).ok());
  REQUIRE(plan.loops.size() == 1);
  Plan endless = plan;
  for (EdgePlan& edge : endless.edges) edge.loop = -1;
  check_refused(endless, "cycle");
  plan.loops[0].max = 1'000'000;  // more than its counter holds
  check_refused(plan, "counters");
}

}  // namespace
}  // namespace woa
