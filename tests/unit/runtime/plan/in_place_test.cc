// Outputs that are written over an input: what validate() lets pass, and what it refuses.
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan/plan_file.h"
#include "tests/support/catch.h"
#include "tests/support/plan_builder.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kA = 2, kB = 3, kC = 4, kEdgeToA = 0, kEdgeToB = 1;

// source -> a -> b -> c -> sink; b writes over its input.
Plan passing() {
  PlanBuilder builder(1, 1);
  std::uint32_t last = kSourceStage;
  for (const char* name : {"a", "b", "c"}) {
    const auto next = builder.stage(name, "next", "cpu:0");
    builder.edge(last, 0, next, 0).keep = 0;
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0).keep = 0;
  builder.raw().stages[kB].outputs[0].in_place = 0;
  return builder.build();
}

TEST_CASE("a chain may write in place, all of it") {
  Plan plan = passing();
  CHECK(validate(plan).message().empty());
  plan.stages[kA].outputs[0].in_place = plan.stages[kC].outputs[0].in_place = 0;
  CHECK(validate(plan).message().empty());
}

TEST_CASE("it stands in the plan file") {
  const std::string bytes = serialize(passing());
  const Result<Plan> read = parse_plan(std::as_bytes(std::span(bytes)));
  REQUIRE(read.ok());
  CHECK(*read == passing());
}

TEST_CASE("a plan that writes over what others may see is refused") {
  const std::vector<std::pair<const char*, std::function<void(Plan&)>>> rules{
      {"only a kernel on a cpu", [](Plan& p) { p.stages[kSourceStage].outputs[0].in_place = 0; }},
      {"only a kernel on a cpu",
       [](Plan& p) {
         p.controllers[1] = {"gpu:0", ControllerKind::kGpu, "opencl", 1};
       }},
      {"number of an input", [](Plan& p) { p.stages[kB].outputs[0].in_place = 1; }},
      {"number of an input", [](Plan& p) { p.stages[kB].outputs[0].in_place = -2; }},
      {"held token",
       [](Plan& p) {
         p.stages[kB].inputs.push_back({"held", p.stages[kB].inputs[0].type, true, 0});
         p.stages[kB].outputs[0].in_place = 1;
         p.edges.push_back({kSourceStage, 0, kB, 1, 0, 0, -1, 1, 4});
       }},
      {"its type",
       [](Plan& p) {
         p.stages[kB].outputs[0].type = p.stages[kC].inputs[0].type = {"u8", {{"n", 0, 0}}, 1024};
       }},
      {"is written there, too",
       [](Plan& p) {
         p.stages[kB].outputs.push_back({"more", p.stages[kB].outputs[0].type, -1, 0});
         p.stages[kSinkStage].inputs.push_back({"more", p.stages[kB].outputs[0].type, false, 0});
         p.edges.push_back({kB, 1, kSinkStage, 1, 0, 0, -1, 1, 4});
       }},
      {"nobody else reads",
       [](Plan& p) {
         p.stages[kSinkStage].inputs.push_back({"more", p.stages[kA].outputs[0].type, false, 0});
         p.edges.push_back({kA, 0, kSinkStage, 1, 0, 0, -1, 1, 4});
       }},
      {"has one reader",
       [](Plan& p) {
         p.stages[kSinkStage].inputs.push_back({"more", p.stages[kB].outputs[0].type, false, 0});
         p.edges.push_back({kB, 0, kSinkStage, 1, 0, 0, -1, 1, 4});
       }},
      {"one writer",
       [](Plan& p) {
         p.edges.push_back({kSourceStage, 0, kB, 0, 0, 0, -1, 1, 4});
       }},
      {"no other writer",
       [](Plan& p) {
         p.edges.push_back({kA, 0, kC, 0, 0, 0, -1, 1, 4});
       }},
      {"in a loop", [](Plan& p) { p.edges[kEdgeToB].keep = 1; }},
      {"in a loop", [](Plan& p) { p.edges[kEdgeToB + 1].keep = 1; }},
  };
  for (const auto& [message, break_it] : rules) {
    Plan plan = passing();
    break_it(plan);
    const Status status = validate(plan);
    INFO("expected: " << message << "\nfound: " << status.message());
    CHECK(status.code() == Code::kInvalid);
    CHECK(status.message().find(message) != std::string::npos);
  }
  Plan plan = passing();
  plan.edges[kEdgeToA].keep = 1;  // not an edge of it
  CHECK(validate(plan).message().empty());
}

TEST_CASE("ports of one group may share an input's block") {
  Plan plan = passing();
  StagePlan& b = plan.stages[kB];
  b.outputs[0].one_of = 0;
  b.outputs.push_back({"other", b.outputs[0].type, 0, 0});
  plan.stages[kSinkStage].inputs.push_back({"other", b.outputs[0].type, false, 0});
  plan.edges.push_back({kB, 1, kSinkStage, 1, 0, 0, -1, 1, 4});
  CHECK(validate(plan).message().empty());
}

TEST_CASE("a block that goes round, or through too many stages, is refused") {
  PlanBuilder builder(1, 1);
  std::uint32_t last = kSourceStage;
  for (std::uint32_t k = 0; k < 80; ++k) {
    const auto next = builder.stage("s" + std::to_string(k), "next", "cpu:0");
    builder.edge(last, 0, next, 0).keep = 0;
    builder.raw().stages[next].outputs[0].in_place = 0;
    last = next;
  }
  builder.edge(last, 0, kSinkStage, 0).keep = 0;
  CHECK(validate(builder.build()).message().find("64 stages") != std::string::npos);

  Plan round = passing();
  for (const std::uint32_t s : {kA, kB, kC}) round.stages[s].outputs[0].in_place = 0;
  round.loops.push_back({"round", 0, 8, 3});
  round.edges[kEdgeToA] = {kC, 0, kA, 0, 0xff, 1, 0, 1, 4};
  CHECK(validate(round).code() == Code::kInvalid);
}

}  // namespace
}  // namespace woa::test
