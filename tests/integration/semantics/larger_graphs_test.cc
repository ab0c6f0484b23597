// Random graphs of some ten stages, from the file to the outputs, in one thread: under every call model, on controllers
// of two kinds, whatever the delays, they give what they mean. And with channels of exactly the certified size none of
// them ever stands still.
//
// WOA_LARGER_GRAPHS sets how many there are, WOA_RUNS_AT_LIVE how many runs at the certified size.
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "compiler/compiler.h"
#include "runtime/call_models/call_model.h"
#include "tests/integration/semantics/driven_run.h"
#include "tests/integration/semantics/number_in.h"
#include "tests/integration/semantics/program_kernels.h"
#include "tests/support/catch.h"
#include "tests/support/random_program.h"

namespace woa::test {
namespace {

constexpr std::uint64_t kFewInstances = 6;

class LargerGraphs {
 public:
  explicit LargerGraphs(std::uint32_t seed) : random_(seed), seed_(seed) {}

  // A graph of `least` to `most` stages that the compiler accepts. It refuses what would take too many turns or
  // elements (E0415) or has too many choices (E0417), and nothing else of what these programs are.
  std::unique_ptr<const RandomProgram> any(std::size_t least, std::size_t most) {
    for (;;) {
      auto program = std::make_unique<const RandomProgram>(random_, least + below(most - least + 1), true);
      if (program->stages() < least || program->stages() > most) continue;
      const Compilation compiled = compile(*program);
      if (compiled.plan) return program;
      INFO(program->text() << format(compiled.diagnostics.at(0), false));
      const std::string& code = compiled.diagnostics.at(0).code;
      REQUIRE((code == "E0415" || code == "E0417" || code == "E0416"));
      ++refused_;
    }
  }

  // Places the program anew.
  CertifiedPlan plan_of(const RandomProgram& program, bool tight) {
    Compilation compiled = compile(program);
    REQUIRE(compiled.plan.has_value());
    CertifiedPlan plan = std::move(*compiled.plan);
    INFO(program.text());
    for (const EdgePlan& edge : plan.edges)  // else instances wait for one another, replicas or not
      REQUIRE((edge.blocks > edge.min_blocks || plan.window == 1));
    plan.window = static_cast<std::uint32_t>(1 + below(8));
    for (StagePlan& stage : plan.stages) stage.library.clear();
    if (!tight) return plan;
    for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
    return plan;
  }

  // False: the plan cannot be run under that call model (runtime/call_models/call_model.h).
  bool run(const RandomProgram& program, const CertifiedPlan& plan, std::string_view model) {
    const auto calls = rewrite(plan, model);
    INFO(program.text() << "window " << plan.window << ", " << model << ", seed of all " << seed_);
    INFO(calls.status().message());
    if (calls.status().code() == Code::kUnsupported) return false;
    REQUIRE(calls.ok());
    const auto seed = static_cast<std::uint32_t>(random_());
    for (const Way way : kWays) {
      INFO(name_of(way));
      const Driven driven = drive(*calls, stateful_program_kernels(), kFewInstances, seed, way);
      REQUIRE(driven.status.message() == "");
      REQUIRE_FALSE(driven.stands_still);
      for (std::uint64_t i = 0; i < kFewInstances; ++i) check(program, driven, i);
    }
    ++runs_[model];
    return true;
  }

  [[nodiscard]] std::size_t below(std::size_t n) { return random_() % n; }
  [[nodiscard]] int succeeded() const noexcept { return succeeded_; }
  [[nodiscard]] int runs(std::string_view model) const { return runs_.contains(model) ? runs_.at(model) : 0; }
  void print(const char* what) const {
    std::printf("%s: %d instances succeeded; %d graphs refused as too large; runs:", what, succeeded_, refused_);
    for (const auto& [model, runs] : runs_) std::printf(" %s %d", std::string(model).c_str(), runs);
    std::printf("\n");
  }

 private:
  Compilation compile(const RandomProgram& program) {
    static const char* const kControllers[] = {"cpu:0", "cpu:1", "gpu:0", "gpu:1"};  // two for kernels of one kind
    CompileOptions options;
    options.kernel_path = {kernels_.path()};
    for (std::size_t s = 0; s < program.stages(); ++s)
      options.pins["s" + std::to_string(s)] = kControllers[below(one_kind(program.kernel_of(s)) ? 2 : 4)];
    return compile_text(program.text(), "graph.yaml", "", options);
  }

  void check(const RandomProgram& program, const Driven& driven, std::uint64_t i) {
    const std::optional<std::string> expected = program.expect(std::to_string(i));
    INFO("instance " << i);
    REQUIRE(driven.outputs.contains(i) == expected.has_value());
    if (expected) REQUIRE(driven.outputs.at(i).at(0) == *expected);
    if (!expected) REQUIRE(driven.failures.at(i) == Code::kLoopLimit);
    succeeded_ += expected ? 1 : 0;
  }

  const ProgramKernels kernels_;
  std::mt19937 random_;
  std::uint32_t seed_;
  std::map<std::string_view, int> runs_;  // by call model
  int succeeded_ = 0, refused_ = 0;
};

}  // namespace

TEST_CASE("larger random graphs give what they mean, wherever their stages are") {
  LargerGraphs graphs(21);
  const int count = number_in("WOA_LARGER_GRAPHS", 1000, 100);
  for (int g = 0; g < count; ++g) {
    const auto program = graphs.any(5, 40);
    for (const bool tight : {false, true}) {
      const CertifiedPlan plan = graphs.plan_of(*program, tight);
      for (const std::string_view model : kCallModels) graphs.run(*program, plan, model);
    }
  }
  graphs.print("larger graphs");
  CHECK(graphs.succeeded() > 2 * count);  // else nearly all took too many turns, and nothing is shown
  CHECK(graphs.runs("woa") == 2 * count);
  CHECK(graphs.runs("rpc-polled") > count / 2);
  CHECK(graphs.runs("rpc-nested") > count / 4);
}

TEST_CASE("channels of exactly the live size: no run stands still") {
  LargerGraphs graphs(22);
  const int count = number_in("WOA_RUNS_AT_LIVE", 5000, 400);
  for (int runs = 0; runs < count;) {
    const auto program = graphs.any(2, 12);
    const CertifiedPlan plan = graphs.plan_of(*program, true);
    INFO(program->text());
    REQUIRE(verify_liveness(plan).message() == "");
    runs += graphs.run(*program, plan, kCallModels[graphs.below(std::size(kCallModels))]) ? 1 : 0;
  }
  graphs.print("at the live size");
  CHECK(graphs.succeeded() > 2 * count);
}

}  // namespace woa::test
