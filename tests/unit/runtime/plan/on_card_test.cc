// Rules of edges that stay on a card: a chain of three stages on an fpga, one thing broken, and what the message says.
#include <functional>
#include <string>
#include <vector>

#include "runtime/plan/plan_file.h"
#include "tests/support/catch.h"
#include "tests/unit/runtime/plan/sample_plan.h"

namespace woa {
namespace {

constexpr std::uint32_t kFirst = 2, kSecond = 3, kThird = 4;  // stages
constexpr std::size_t kOne = 1, kTwo = 2;                     // edges on the card

StagePlan core_stage(const std::string& name) {
  StagePlan stage;
  stage.name = stage.kernel = name;
  stage.variant.kind = "rtl";
  stage.variant.core = name + "_core";
  stage.controller = 1;
  stage.headers = HeaderWriter::kDevice;
  stage.inputs = {{.name = "in", .type = test::bytes_type(64)}};
  stage.outputs = {{.name = "out", .type = test::bytes_type(64)}};
  return stage;
}

// source -> a -> b -> c -> sink
Plan chain() {
  Plan plan;
  plan.graph = "chain";
  plan.controllers = {make_controller("host", *find_backend("host")),
                      make_controller("fpga:0", *find_backend("verilator"))};
  StagePlan source, sink;
  source.name = "source", source.role = StageRole::kSource;
  source.outputs = core_stage("x").outputs;
  sink.name = "sink", sink.role = StageRole::kSink;
  sink.inputs = core_stage("x").inputs;
  plan.stages = {source, sink, core_stage("a"), core_stage("b"), core_stage("c")};
  plan.edges = {
      {kSourceStage, 0, kFirst, 0}, {kFirst, 0, kSecond, 0}, {kSecond, 0, kThird, 0}, {kThird, 0, kSinkStage, 0}};
  plan.edges[kOne].on_card = plan.edges[kTwo].on_card = true;
  return plan;
}

// A second output of the stage, to an input of its own at the sink.
void add_output(Plan& plan, std::uint32_t stage) {
  plan.stages[stage].outputs.push_back({.name = "more", .type = test::bytes_type(64)});
  plan.stages[kSinkStage].inputs.push_back({.name = "more", .type = test::bytes_type(64)});
  plan.edges.push_back({stage, 1, kSinkStage, 1});
}

void add_input(Plan& plan, std::uint32_t stage) {
  plan.stages[stage].inputs.push_back({.name = "more", .type = test::bytes_type(64)});
  plan.edges.push_back({kSourceStage, 0, stage, 1});
}

TEST_CASE("a chain on a card is valid, and survives the file") {
  const Plan plan = chain();
  CHECK(validate(plan).message() == "");
  const std::string bytes = serialize(plan);
  const Result<Plan> read = parse_plan(std::as_bytes(std::span(bytes)));
  REQUIRE(read.ok());
  CHECK(*read == plan);
  CHECK(read->edges[kTwo].on_card);
  CHECK_FALSE(read->edges[0].on_card);
  CHECK(read->controllers[1].traits.joins);
}

TEST_CASE("the first of a chain may have more inputs, and the last more outputs") {
  Plan plan = chain();
  add_input(plan, kFirst);
  add_output(plan, kThird);
  CHECK(validate(plan).message() == "");
}

TEST_CASE("every rule of an edge on a card has its message") {
  struct Rule {
    const char* message;
    std::function<void(Plan&)> break_it;
  };
  const std::vector<Rule> rules{
      {"only kernels", [](Plan& p) { p.edges[0].on_card = true; }},
      {"ends are on fpga:0 and fpga:1",
       [](Plan& p) {
         p.controllers.push_back(make_controller("fpga:1", *find_backend("verilator")));
         p.stages[kThird].controller = 2;
       }},
      {"joins no stages", [](Plan& p) { p.controllers[1].traits.joins = false; }},
      {"writer keeps state", [](Plan& p) { p.stages[kFirst].stateful = Stateful::kRun; }},
      {"reader keeps state", [](Plan& p) { p.stages[kThird].stateful = Stateful::kInstance; }},
      {"chooses between outputs", [](Plan& p) { p.stages[kFirst].outputs[0].one_of = 0; }},
      {"token may be absent",
       [](Plan& p) { p.stages[kFirst].outputs[0].optional = p.stages[kSecond].inputs[0].optional = true; }},
      {"takes absent tokens", [](Plan& p) { p.stages[kSecond].inputs[0].optional = true; }},
      {"holds the token", [](Plan& p) { add_input(p, kSecond), p.stages[kSecond].inputs[0].hold = true; }},
      {"writer has other readers", [](Plan& p) { add_output(p, kFirst); }},
      {"reader has other writers", [](Plan& p) { add_input(p, kSecond); }},
      {"use core 'a_core'", [](Plan& p) { p.stages[kThird].variant.core = "a_core"; }},
      {"more than 8 stages",
       [](Plan& p) {
         for (std::uint32_t next = 5; next < 11; ++next) {
           p.stages.push_back(core_stage(std::to_string(next)));
           p.edges.back().to_stage = next;
           p.edges.back().on_card = true;
           p.edges.push_back({next, 0, kSinkStage, 0});
         }
       }},
      {"'b' names no core", [](Plan& p) { p.stages[kSecond].variant.core.clear(); }},
      {"takes a loop",
       [](Plan& p) {
         p.loops = {{"turns", 0, 4, 3}};
         p.edges[kOne].loop = 0, p.edges[kOne].step = 1, p.edges[kOne].keep = 0xf;
       }},
      {"lies in a loop",
       [](Plan& p) {
         p.loops = {{"turns", 0, 4, 3}};
         p.stages[kThird].outputs[0].one_of = 0;
         add_output(p, kThird);
         p.stages[kThird].outputs[1].one_of = 0;
         p.edges.back() = {kThird, 1, kFirst, 0, 0xf, 1, 0};
         p.stages[kSinkStage].inputs.pop_back();
       }},
  };
  for (const Rule& rule : rules) {
    Plan plan = chain();
    rule.break_it(plan);
    const Status status = validate(plan);
    INFO("expected: " << rule.message << "\nfound: " << status.message());
    CHECK(status.code() == Code::kInvalid);
    CHECK(status.message().find(rule.message) != std::string::npos);
  }
}

TEST_CASE("a device that joins writes packets") {
  Plan plan = chain();
  plan.controllers[1].traits.writes_packets = false;
  const Status status = validate(plan);
  CHECK(status.code() == Code::kInvalid);
  CHECK(status.message().find("joins stages and writes no packets") != std::string::npos);
}

}  // namespace
}  // namespace woa
