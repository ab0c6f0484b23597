// A stage's packets are published by its controller's device where the stage's outputs allow it, else by the host.
#include <algorithm>
#include <string>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/replicas.h"
#include "compiler/parse/kernel_file.h"
#include "runtime/controller/layout.h"
#include "tests/support/catch.h"

namespace woa::test {
namespace {

const PortType kFixed{"u8", {{"", 16, 0}}, 16};
const PortType kVariable{"u8", {{"n", 0, 0}}, 16};
const PortType kBytes{"bytes", {}, 16};

// A kernel for every controller here.
const KernelDecl& kernel() {
  static const KernelDecl decl = [] {
    KernelDecl made;
    made.name = "k";
    made.library = "libk.so";
    made.variants["cpu"].kind = "cpu";
    return made;
  }();
  return decl;
}

const KernelDecl& resident_kernel() {
  static const KernelDecl decl = [] {
    KernelDecl made = kernel();
    made.variants["cpu"].resident = true;
    return made;
  }();
  return decl;
}

ControllerPlan controller(const std::string& name, Publisher publishes) {
  return {name, ControllerKind::kCpu, "cpu", 1, {.publishes = publishes}};
}

// The publisher of a stage with these outputs on a controller whose device publishes so.
Publisher publisher_of(const std::vector<OutputPortPlan>& outputs, Publisher able, const KernelDecl& of = kernel()) {
  StagePlan stage;
  stage.outputs = outputs;
  GraphStage logical;
  logical.kernel = &of;
  set_variant(stage, logical, controller("cpu:0", able));
  return stage.publishes;
}

// Stages between source and sink, one after the other in the file and not joined to each other.
class Beside {
 public:
  Beside() {
    graph.controllers = {{"host", ControllerKind::kHost, "host", 1}};
    graph.stages.resize(2);
    graph.stages[kSourceStage].name = "source";
    graph.stages[kSinkStage].name = "sink";
  }
  GraphStage& add(const std::string& name, const PortType& type, std::uint32_t on) {
    const auto stage = static_cast<std::uint32_t>(graph.stages.size());
    const auto port = stage - 2;
    GraphStage& made = graph.stages.emplace_back();
    made.name = name;
    made.kernel = &kernel();
    made.controller = on;
    made.inputs = {{"in", type, false, 0}};
    made.outputs = {{"out", type, -1}};
    graph.stages[kSourceStage].outputs.push_back({"x" + std::to_string(port), type, -1});
    graph.stages[kSinkStage].inputs.push_back({"y" + std::to_string(port), type, false, 0});
    graph.edges.push_back(
        {.from_stage = kSourceStage, .from_port = port, .to_stage = stage, .to_port = 0, .place = {}});
    graph.edges.push_back({.from_stage = stage, .from_port = 0, .to_stage = kSinkStage, .to_port = port, .place = {}});
    made.in = {{2 * port}};
    made.out = {{2 * port + 1}};
    graph.stages[kSourceStage].out.push_back({2 * port});
    graph.stages[kSinkStage].in.push_back({2 * port + 1});
    return made;
  }
  Graph graph;
};

}  // namespace

TEST_CASE("a device publishes for a kernel whose outputs are of fixed size, always written and in their own memory") {
  const OutputPortPlan fixed{"out", kFixed, -1};
  for (const Publisher able : {Publisher::kHost, Publisher::kQueue, Publisher::kWorker}) {
    CHECK(publisher_of({fixed}, able) == std::min(able, Publisher::kQueue));
    CHECK(publisher_of({fixed, fixed}, able) == std::min(able, Publisher::kQueue));
    CHECK(publisher_of({fixed}, able, resident_kernel()) == able);
    CHECK(publisher_of({{"other", kBytes, -1}}, able, resident_kernel()) == Publisher::kHost);
    for (const PortType& type : {kVariable, kBytes})
      CHECK(publisher_of({fixed, {"other", type, -1}}, able) == Publisher::kHost);
    OutputPortPlan other = fixed;
    other.one_of = 0;
    CHECK(publisher_of({fixed, other}, able) == Publisher::kHost);
    other = fixed, other.optional = true;
    CHECK(publisher_of({other, fixed}, able) == Publisher::kHost);
    other = fixed, other.many = 4;
    CHECK(publisher_of({other}, able) == Publisher::kHost);
    other = fixed, other.in_place = 0;
    CHECK(publisher_of({other}, able) == Publisher::kHost);
  }
}

TEST_CASE("stages of one controller that forward differently have channels of their own in the plan's layout") {
  Beside beside;
  beside.graph.controllers.push_back(controller("cpu:0", Publisher::kQueue));
  beside.add("a", kFixed, 1);
  beside.add("b", kBytes, 1);
  beside.add("c", kFixed, 1);
  const Plan plan = emit_plan(beside.graph, "g", 2, {});
  REQUIRE(validate(plan).message() == "");
  const std::vector<Publisher> expected{Publisher::kHost, Publisher::kHost, Publisher::kQueue, Publisher::kHost,
                                        Publisher::kQueue};
  for (std::size_t s = 0; s < expected.size(); ++s) CHECK(plan.stages[s].publishes == expected[s]);
  const Layout layout = make_layout(plan);
  const auto to_sink = [&](std::size_t stage) { return layout.edges[2 * stage + 1].channel; };
  CHECK(to_sink(0) == to_sink(2));
  CHECK(to_sink(0) != to_sink(1));
  CHECK(layout.channels[to_sink(0)].publishes == Publisher::kQueue);
  CHECK(layout.channels[to_sink(1)].publishes == Publisher::kHost);
}

TEST_CASE("each replica's device publishes as its own controller can") {
  Beside beside;
  beside.graph.controllers.push_back(controller("cpu:0", Publisher::kHost));
  beside.graph.controllers.push_back(controller("cpu:1", Publisher::kWorker));
  GraphStage& stage = beside.add("a", kFixed, 1);
  stage.replicas = 2;
  stage.replica_controllers = {1, 2};
  const Plan plan = with_replicas(emit_plan(beside.graph, "g", 4, {}), beside.graph);
  REQUIRE(validate(plan).message() == "");
  REQUIRE(plan.stages.size() == 4);
  CHECK(plan.stages[2].publishes == Publisher::kHost);
  CHECK(plan.stages[3].publishes == Publisher::kQueue);
}

TEST_CASE("each resident stage has a channel of its own, and stages of the queues share one") {
  Beside beside;
  beside.graph.controllers.push_back(controller("cpu:0", Publisher::kWorker));
  for (const char* name : {"a", "b", "c", "d"}) beside.add(name, kFixed, 1);
  beside.graph.stages[2].kernel = beside.graph.stages[3].kernel = &resident_kernel();
  const Plan plan = emit_plan(beside.graph, "g", 2, {});
  REQUIRE(validate(plan).message() == "");
  const Layout layout = make_layout(plan);
  const auto to_sink = [&](std::size_t stage) { return layout.edges[2 * stage + 1].channel; };
  CHECK(to_sink(0) != to_sink(1));
  CHECK(to_sink(2) == to_sink(3));
  CHECK(to_sink(2) != to_sink(0));
  CHECK(layout.channels[to_sink(1)].publishes == Publisher::kWorker);
  CHECK(layout.channels[to_sink(2)].publishes == Publisher::kQueue);
}

}  // namespace woa::test
