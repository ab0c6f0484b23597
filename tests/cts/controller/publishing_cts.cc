// Devices that publish their packets: whole runs on function kernels that play such devices.
#include <set>
#include <utility>

#include "tests/cts/controller/in_one_process.h"
#include "tests/support/publishing_backend.h"
#include "tests/support/says.h"

namespace woa::test {
namespace {

Functions publishing_kernels() {
  Functions all = functions();
  all["refuse_odd"] = [](Firing& f, const StagePlan&) {
    if (std::stoi(read(f, 0)) % 2 == 0) return write_padded(f, 0, read(f, 0));
    f.code = Code::kKernelFailed;
    f.message = "odd";
  };
  return all;
}

std::string padded_number(std::uint64_t instance, std::uint32_t) { return padded(std::to_string(instance)); }

Outcome run_publishing(const Plan& plan, std::uint64_t instances, PublishingScript& script, const char* model = "woa") {
  const Functions functions = publishing_kernels();
  return run_with(publishing_factory(functions, script), plan, model, instances, padded_number);
}

// a, b, c on cpu:0, d on cpu:1, whose devices keep what they need.
Plan two_devices() {
  return with_publishing(chain_on({"cpu:0", "cpu:0", "cpu:0", "cpu:1"}, "append_padded"), kDeviceTraits.memory);
}

}  // namespace

TEST_CASE("what devices publish late arrives whole and in order, under each call model") {
  for (const bool ordered : {false, true}) {
    for (const std::size_t places : {1U, 5U}) {
      for (const char* model : {"woa", "rpc-hub", "rpc-nested"}) {
        PublishingScript script{.places = places, .ordered = ordered};
        const Outcome outcome = run_publishing(with_publishing(chain_plan(6, "append_padded", 2)), 20, script, model);
        INFO(ordered << places << model);
        REQUIRE(outcome.status.message() == "");
        require_outputs(outcome, 20, [&](std::uint64_t i) { return padded(std::to_string(i) + "abcdef"); });
      }
    }
  }
}

TEST_CASE("as many firings of a device that publishes are under way as instances times stages") {
  PublishingScript script{.places = 3 * kBuilderWindow, .patience = 1'000'000};
  const Outcome outcome = run_publishing(two_devices(), kBuilderWindow, script);
  REQUIRE(outcome.status.message() == "");
  for (const auto& [i, outputs] : outcome.outputs) REQUIRE(outputs[0] == padded(std::to_string(i) + "abcd"));
  CHECK(outcome.outputs.size() == kBuilderWindow);
  CHECK(script.most == 3 * kBuilderWindow);
}

TEST_CASE("readers here and elsewhere, and on several lanes, all get what a device publishes") {
  PlanBuilder builder(1, 4);
  const auto a = builder.stage("a", "append_padded", "cpu:0"), b = builder.stage("b", "append_padded", "cpu:0"),
             c = builder.stage("c", "append_padded", "cpu:1");
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(a, 0, c, 0);
  builder.edge(a, 0, kSinkStage, 0);
  builder.edge(a, 0, kSinkStage, 1).lane = "other";
  builder.edge(b, 0, kSinkStage, 2);
  builder.edge(c, 0, kSinkStage, 3);
  for (const MemoryKind memory : {MemoryKind::kCpu, kDeviceTraits.memory}) {
    for (const std::size_t places : {1U, 8U}) {
      PublishingScript script{.places = places};
      const Outcome outcome = run_publishing(with_publishing(builder.build(), memory), 20, script);
      REQUIRE(outcome.status.message() == "");
      require_outputs(outcome, 20, [&](std::uint64_t i) {
        const std::string a_wrote = std::to_string(i) + "a";
        return std::vector{padded(a_wrote), padded(a_wrote), padded(a_wrote + "b"), padded(a_wrote + "c")};
      });
    }
  }
}

TEST_CASE("a kernel that fails poisons its instance, and what was prepared for others comes in order") {
  Plan plan = with_publishing(chain_plan(4, "append_padded", 2));
  plan.stages[3].kernel = "refuse_odd";
  plan.stages[2].kernel = "copy_padded";
  for (const bool ordered : {false, true}) {
    for (const std::size_t places : {1U, 5U}) {
      PublishingScript script{.places = places, .ordered = ordered};
      const Outcome outcome = run_publishing(plan, 40, script);
      INFO(ordered << places);
      REQUIRE(outcome.status.message() == "");
      REQUIRE(outcome.failures.size() == 20);
      require_outputs(outcome, 20, [&](std::uint64_t i) { return padded(std::to_string(i) + "cd"); });
      for (const auto& [i, failure] : outcome.failures) {
        REQUIRE(i % 2 == 1);
        REQUIRE(failure.stage == "b");
        REQUIRE(failure.message == "odd");
      }
    }
  }
}

TEST_CASE("a device that fails before it has published ends the run with the first firing's name") {
  // The last number is the largest: with the firing that fails, as many are under way as may be.
  for (const std::size_t behind : {std::size_t{1}, std::size_t{2}, std::size_t{3 * kBuilderWindow - 1}}) {
    PublishingScript script{.places = 1 + behind, .lands = 0};
    const Outcome outcome = run_publishing(two_devices(), 40, script);
    INFO(behind << outcome.status.message());
    REQUIRE_FALSE(outcome.status.ok());
    CHECK(says(outcome.status, "cpu:0"));
    CHECK(says(outcome.status, "stage 'c', instance 0: the device failed: the device went away in instance 0"));
    CHECK(outcome.outputs.empty());
  }
}

TEST_CASE("a device that fails firings one by one poisons them, and what it published before has arrived") {
  PublishingScript script{.ordered = false, .lands = 10};
  const Outcome outcome = run_publishing(with_publishing(chain_plan(1, "append_padded")), 40, script);
  REQUIRE(outcome.status.message() == "");
  CHECK(outcome.outputs.size() == 10);
  CHECK(outcome.failures.size() == 30);
  for (const auto& [i, failure] : outcome.failures) {
    REQUIRE(failure.stage == "a");
    REQUIRE(failure.message == "the device went away in instance " + std::to_string(i));
  }
}

}  // namespace woa::test
