// Devices that order their firings: readers start before their writers complete, on function kernels that play a
// device.
#include <utility>

#include "tests/cts/controller/in_one_process.h"
#include "tests/support/ordered_backend.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStages = 6;  // of the chains here
// Polls until a device takes it that no more firings come, where a test counts how many do. Beside other programs the
// host can be away for a hundred milliseconds.
constexpr std::size_t kPatient = 200'000;

struct Ordered {
  Outcome outcome;
  OrderedScript script;
};

Ordered run_ordered(const Plan& plan, const char* model, std::uint64_t instances, OrderedScript script,
                    const Input& input = number, const Functions& kernels = functions()) {
  Ordered run;
  run.outcome = run_with(ordered_factory(kernels, script), plan, model, instances, input);
  run.script = script;
  return run;
}

constexpr std::uint32_t kElements = 40, kElementBits = 6;

// split -> a -> ... -> join: more elements than a stage may have under way.
Plan scatter() {
  PlanBuilder builder(1, 1);
  const auto split = builder.stage("split", "split", "cpu:0"), join = builder.stage("join", "collect", "cpu:0");
  OutputPortPlan& many = builder.raw().stages[split].outputs[0];
  InputPortPlan& gather = builder.raw().stages[join].inputs[0];
  many.many = gather.gather = kElements;
  many.index_bits = gather.index_bits = kElementBits;
  builder.edge(kSourceStage, 0, split, 0);
  std::uint32_t last = split;
  for (std::uint32_t k = 0; k < kStages; ++k) {
    const std::uint32_t next = builder.stage(std::string(1, static_cast<char>('a' + k)), "append", "cpu:0");
    builder.edge(std::exchange(last, next), 0, next, 0, kElements);
  }
  builder.edge(last, 0, join, 0, kElements);
  builder.edge(split, 0, join, 0).count = true;
  builder.edge(join, 0, kSinkStage, 0);
  return with_device(builder.build());
}

}  // namespace

TEST_CASE("readers on an ordered device start at once, and everybody else when the firing has completed") {
  for (const std::size_t places : {1U, 2U, 5U, kBuilderWindow * kStages}) {
    for (const char* model : {"woa", "rpc-fused", "rpc-hub"}) {
      const auto [outcome, script] = run_ordered(device_chain(kStages), model, 60, {.places = places});
      INFO(places << model);
      REQUIRE(outcome.status.ok());
      require_outputs(outcome, 60, [&](std::uint64_t i) { return std::to_string(i) + "abcdef"; });
      REQUIRE(script.changed == 0);
    }
  }
}

TEST_CASE("as many firings are under way as instances times stages") {
  const auto [outcome, script] = run_ordered(device_chain(kStages), "woa", 40, {.places = 1000, .patience = kPatient});
  REQUIRE(outcome.outputs.size() == 40);
  CHECK(outcome.plan.window == kBuilderWindow);
  CHECK(script.most == kBuilderWindow * kStages);
}

TEST_CASE("a device that fails an ordered firing is lost, and the first that failed is named") {
  // The last number is the largest: with the firing that fails, as many are under way as may be.
  for (const std::size_t behind : {std::size_t{1}, std::size_t{2}, std::size_t{kBuilderWindow * kStages - 1}}) {
    const auto [outcome, script] =
        run_ordered(device_chain(kStages), "woa", 40, {.places = 1 + behind, .patience = kPatient, .fails = true});
    INFO(behind << outcome.status.message());
    REQUIRE(script.most == 1 + behind);
    REQUIRE_FALSE(outcome.status.ok());
    CHECK(says(outcome.status, "cpu:0"));
    CHECK(says(outcome.status, "stage 'a', instance 0: the device failed: the device went away in instance 0"));
    CHECK(outcome.outputs.empty());
  }
}

TEST_CASE("a kernel that refuses its input poisons its instance only") {
  Plan plan = device_chain(4, "copy");
  plan.stages[4].kernel = "fail_3";
  const Input input = [](std::uint64_t i, std::uint32_t) { return std::to_string(i % 4); };
  const auto [outcome, script] = run_ordered(plan, "woa", 100, {.places = 5}, input);
  REQUIRE(outcome.status.ok());
  REQUIRE(outcome.outputs.size() == 75);
  for (const auto& [i, failure] : outcome.failures) {
    REQUIRE(i % 4 == 3);
    REQUIRE(failure.stage == "c");
    REQUIRE(failure.message == "three is refused");
  }
  REQUIRE(script.changed == 0);
}

TEST_CASE("a token that dies before its writer has completed gives its block back") {
  PlanBuilder builder(2, 2);
  const auto a = builder.stage("a", "append", "cpu:0"), f = builder.stage("f", "fail_3", "cpu:0"),
             j = builder.stage("j", "join", "cpu:0", 2), b = builder.stage("b", "append", "cpu:0");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(kSourceStage, 1, f, 0);
  builder.edge(a, 0, j, 0);
  builder.edge(f, 0, j, 1);
  builder.edge(j, 0, b, 0);
  builder.edge(b, 0, kSinkStage, 0);
  builder.edge(f, 0, kSinkStage, 1);
  const Plan plan = with_device(builder.build());
  const Input input = [](std::uint64_t i, std::uint32_t port) { return std::to_string(port == 1 ? i % 4 : i); };
  for (const std::size_t places : {1U, 3U, 6U}) {
    const auto [outcome, script] = run_ordered(plan, "woa", 200, {.places = places}, input);
    INFO(places);
    REQUIRE(outcome.failures.size() == 50);
    require_outputs(outcome, 150, [&](std::uint64_t i) {
      const std::string second = std::to_string(i % 4);
      return std::vector{std::to_string(i) + "a+" + second + "b", second};
    });
    REQUIRE(script.changed == 0);
  }
}

TEST_CASE("what is read here and elsewhere goes everywhere when its copy is there") {
  PlanBuilder builder(1, 2);
  const auto a = builder.stage("a", "append", "cpu:0"), b = builder.stage("b", "append", "cpu:0");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(a, 0, kSinkStage, 0);
  builder.edge(b, 0, kSinkStage, 1);
  for (const std::size_t places : {1U, 3U, 8U}) {
    const auto [outcome, script] = run_ordered(with_device(builder.build()), "woa", 60, {.places = places});
    require_outputs(outcome, 60, [&](std::uint64_t i) {
      return std::vector{std::to_string(i) + "a", std::to_string(i) + "ab"};
    });
    REQUIRE(script.changed == 0);
  }
}

TEST_CASE("a stage with as many firings under way as it may have does not stop the others") {
  Functions kernels = functions();
  kernels["split"] = [](Firing& f, const StagePlan&) {
    for (std::uint32_t e = 0; e < kElements; ++e) write_element(f, 0, read(f, 0) + "." + std::to_string(e));
  };
  kernels["collect"] = [](Firing& f, const StagePlan&) {
    std::string text;
    for (std::uint32_t e = 0; e < f.inputs[0].count; ++e) text += read_element(f, 0, e) + " ";
    write(f, 0, text);
  };
  for (const std::size_t places : {3U, 1000U}) {
    const auto [outcome, script] = run_ordered(scatter(), "woa", 30, {.places = places}, number, kernels);
    require_outputs(outcome, 30, [&](std::uint64_t i) {
      std::string expected;
      for (std::uint32_t e = 0; e < kElements; ++e) expected += std::to_string(i) + "." + std::to_string(e) + "abcdef ";
      return expected;
    });
    REQUIRE(script.changed == 0);
  }
}

TEST_CASE("a stage that chooses its output is not ordered, whatever its device says") {
  const auto [outcome, script] = run_ordered(with_device(branch_plan("cpu:0")), "woa", 50, {.places = 2});
  require_outputs(outcome, 50, [&](std::uint64_t i) { return std::to_string(i) + (i % 2 == 0 ? "E" : "O"); });
}

}  // namespace woa::test
