// One row per rule: the sample plan, one thing broken, and what the message must say about it.
#include <functional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/runtime/plan/sample_plan.h"

namespace woa {
namespace {

struct Rule {
  const char* message;  // a part of it
  std::function<void(Plan&)> break_it;
};

constexpr std::uint32_t kRelay = 3;      // of the sample plan
constexpr std::size_t kRelayToSink = 4;  // edge

// Adds `count` relays behind the sample's one.
void add_relays(Plan& plan, std::uint32_t count) {
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto next = static_cast<std::uint32_t>(plan.stages.size());
    plan.stages.push_back(plan.stages[kRelay]);
    plan.stages.back().name += std::to_string(next);
    plan.stages.back().controller = k % 2;
    plan.edges.push_back(plan.edges[kRelayToSink]);
    plan.edges.back().to_stage = next;
    plan.edges[kRelayToSink].from_stage = next;
  }
}

// Puts stage and relay on an fpga; both send to the host.
void put_on_device(Plan& plan) {
  plan.controllers.push_back(make_controller("fpga:0", *find_backend("verilator")));
  plan.stages[2].headers = HeaderWriter::kDevice;
  plan.stages[2].controller = plan.stages[kRelay].controller = 2;
  plan.edges[3].choice = {};
  plan.stages[kSinkStage].inputs.push_back({"more", test::vector_type(24000), false, 0, true});
  plan.edges.push_back({2, 1, kSinkStage, 1, 0, 0, -1, 1, 4});
}

// The stage's device publishes its packets, by its queue. They are of a fixed size.
void publish(Plan& plan) {
  plan.controllers[1].traits.publishes = Publisher::kQueue;
  plan.stages[2].publishes = Publisher::kQueue;
  const auto fix = [](PortType& type) {
    if (type.variable_dims() != 0) type.dims[0] = {"", 1000, 0};
  };
  for (StagePlan& stage : plan.stages) {
    for (InputPortPlan& port : stage.inputs) fix(port.type);
    for (OutputPortPlan& port : stage.outputs) port.one_of = -1, fix(port.type);
  }
}

void check_rules(const std::vector<Rule>& rules) {
  for (const Rule& rule : rules) {
    Plan plan = test::sample_plan();
    rule.break_it(plan);
    const Status status = validate(plan);
    INFO("expected: " << rule.message << "\nfound: " << status.message());
    CHECK(status.code() == Code::kInvalid);
    CHECK(status.message().find(rule.message) != std::string::npos);
  }
}

TEST_CASE("the sample plan is valid") {
  const Status status = validate(test::sample_plan());
  INFO(status.message());
  CHECK(status.ok());
}

TEST_CASE("relays are on any controller, on a device, too, have several readers and writers, and follow relays") {
  Plan device = test::sample_plan();
  put_on_device(device);
  CHECK(validate(device).message() == "");
  Plan joined = test::sample_plan();
  add_relays(joined, 1);
  joined.edges.push_back({kSourceStage, 0, 4, 0, 0, 0, -1, 1, 4});
  CHECK(validate(joined).message() == "");
  Plan plan = test::sample_plan();
  add_relays(plan, 63);
  plan.stages[kSinkStage].inputs.push_back({"more", test::vector_type(24000), false, 0, true});
  plan.edges.push_back({kRelay, 0, kSinkStage, 1, 0, 0, -1, 1, 4});
  const Status status = validate(plan);
  INFO(status.message());
  CHECK(status.ok());
}

TEST_CASE("an empty plan is invalid") { CHECK(validate(Plan{}).code() == Code::kInvalid); }

TEST_CASE("rules of the whole plan and its controllers") {
  check_rules({
      {"graph and model", [](Plan& p) { p.graph.clear(); }},
      {"graph and model", [](Plan& p) { p.model.clear(); }},
      {"window is 0", [](Plan& p) { p.window = 0; }},
      {"window is 4097", [](Plan& p) { p.window = 4097; }},
      {"controllers[0]", [](Plan& p) { p.controllers.clear(); }},
      {"controllers[0]", [](Plan& p) { p.controllers[0].kind = ControllerKind::kCpu; }},
      {"controllers[0]", [](Plan& p) { p.controllers[0].name = "boss"; }},
      {"one host only", [](Plan& p) { p.controllers[1].kind = ControllerKind::kHost; }},
      {"no backend", [](Plan& p) { p.controllers[1].backend.clear(); }},
      {"expected gpu:N", [](Plan& p) { p.controllers[1].name = "foo"; }},
      {"expected gpu:N", [](Plan& p) { p.controllers[1].name = "gpu:"; }},
      {"expected gpu:N", [](Plan& p) { p.controllers[1].name = "gpu:1x"; }},
      {"no leading zeros", [](Plan& p) { p.controllers[1].name = "gpu:00"; }},
      {"expected gpu:N", [](Plan& p) { p.controllers[1].name = "gpu:99999999999"; }},
      {"expected gpu:N", [](Plan& p) { p.controllers[1].name = "cpu:0"; }},
      {"workers is 0", [](Plan& p) { p.controllers[1].workers = 0; }},
      {"workers is 1025", [](Plan& p) { p.controllers[1].workers = 1025; }},
      {"name is empty", [](Plan& p) { p.controllers[1].name.clear(); }},
      {"writes packets and keeps payloads",
       [](Plan& p) { p.controllers[1].traits = {.writes_packets = true, .memory = MemoryKind::kOpencl}; }},
      {"occurs twice", [](Plan& p) { p.controllers[1].name = "host"; }},
  });
}

TEST_CASE("headers and publications of stages are those that this version runs") {
  check_rules({
      {"written by the device, expected the host", [](Plan& p) { p.stages[2].headers = HeaderWriter::kDevice; }},
      {"written by the device, expected the host", [](Plan& p) { p.stages[kRelay].headers = HeaderWriter::kDevice; }},
      {"written by the host, expected the device", [](Plan& p) { p.controllers[1].traits.writes_packets = true; }},
      {"written by the unknown", [](Plan& p) { p.stages[2].headers = static_cast<HeaderWriter>(7); }},
      {"published by the queue, expected the host for its role",
       [](Plan& p) { p.stages[2].publishes = Publisher::kQueue; }},
      {"published by the worker, expected the host or the queue",
       [](Plan& p) { publish(p), p.stages[2].publishes = Publisher::kWorker; }},
      {"published by the unknown, expected the host or the queue or the worker for its role",
       [](Plan& p) {
         publish(p), p.controllers[1].traits.publishes = Publisher::kWorker;
         p.stages[2].publishes = static_cast<Publisher>(3);
       }},
      {"published by the queue, expected the host for its role",
       [](Plan& p) { publish(p), p.stages[kRelay].publishes = Publisher::kQueue; }},
      {"numbers packets and publishes", [](Plan& p) { publish(p), p.controllers[1].traits.writes_packets = true; }},
  });
}

TEST_CASE("a device publishes packets of stages that write each output, one token of a fixed size") {
  Plan plan = test::sample_plan();
  publish(plan);
  CHECK(validate(plan).message() == "");
  plan.controllers[1].traits.publishes = Publisher::kWorker;  // which can do the same
  CHECK(validate(plan).message() == "");
  plan.stages[2].publishes = Publisher::kWorker;
  CHECK(validate(plan).message() == "");
  plan.stages[2].publishes = Publisher::kHost;  // it need not
  CHECK(validate(plan).message() == "");
  for (const auto& vary : std::vector<std::function<void(OutputPortPlan&)>>{
           [](OutputPortPlan& port) {
             port.type.dims[0] = {"n", 0, 0};
           },
           [](OutputPortPlan& port) { port.one_of = 0; }, [](OutputPortPlan& port) { port.optional = true; },
           [](OutputPortPlan& port) { port.many = 2; }, [](OutputPortPlan& port) { port.in_place = 0; }}) {
    StagePlan stage = plan.stages[2];
    REQUIRE(may_publish(stage));
    vary(stage.outputs[0]);
    CHECK_FALSE(may_publish(stage));
  }
  check_rules({{"expected the host for outputs that are not all of a fixed size", [](Plan& p) {
                  publish(p);
                  p.stages[2].outputs[0].optional = true;
                }}});
}

TEST_CASE("a controller forwards by its device if that writes headers or publishes") {
  Plan plan = test::sample_plan();
  CHECK(forwards(plan, 1) == "host");
  publish(plan);
  CHECK(forwards(plan, 1) == "device");
  CHECK(forwards(plan, 0) == "host");
  put_on_device(plan);
  CHECK(forwards(plan, 2) == "device");
}

TEST_CASE("a block has extents and threads that a GPU can run") {
  check_rules({
      {"up to 3 extents",
       [](Plan& p) {
         p.stages[2].variant.block = {1, 1, 1, 1};
       }},
      {"1 to 1024 threads",
       [](Plan& p) {
         p.stages[2].variant.block = {8, 0};
       }},
      {"1 to 1024 threads",
       [](Plan& p) {
         p.stages[2].variant.block = {33, 32};
       }},
      {"1 to 1024 threads",
       [](Plan& p) {
         p.stages[2].variant.block = {1U << 31, 2, 1};
       }},
  });
}

TEST_CASE("rules of stages") {
  check_rules({
      {"stages[0]", [](Plan& p) { p.stages.resize(1); }},
      {"stage 0 alone is the source", [](Plan& p) { p.stages[2].role = StageRole::kSource; }},
      {"stage 0 alone is the source", [](Plan& p) { p.stages[0].role = StageRole::kRelay; }},
      {"stage 1 alone is the sink", [](Plan& p) { p.stages[2].role = StageRole::kSink; }},
      {"must be on the host", [](Plan& p) { p.stages[0].controller = 1; }},
      {"must be on the host", [](Plan& p) { p.stages[1].controller = 1; }},
      {"the source has no inputs", [](Plan& p) { p.stages[0].inputs = p.stages[1].inputs; }},
      {"the sink has no outputs", [](Plan& p) { p.stages[1].outputs = p.stages[0].outputs; }},
      {"does not exist", [](Plan& p) { p.stages[2].controller = 2; }},
      {"cannot run on the host", [](Plan& p) { p.stages[2].controller = 0; }},
      {"no kernel is named", [](Plan& p) { p.stages[2].kernel.clear(); }},
      {"no variant", [](Plan& p) { p.stages[2].variant.kind.clear(); }},
      {"only kernel stages", [](Plan& p) { p.stages[3].kernel = "copy"; }},
      {"as many outputs as inputs",
       [](Plan& p) {
         p.stages[3].outputs.push_back({"o", test::bytes_type(1), -1});
       }},
      {"not of its input's type", [](Plan& p) { p.stages[3].outputs[0].type = test::bytes_type(1); }},
      {"must be optional if its input is", [](Plan& p) { p.stages[3].outputs[0].optional = false; }},
      {"scratch", [](Plan& p) { p.stages[2].scratch_bytes = 1ULL << 38; }},
      {"secret", [](Plan& p) { p.stages[2].params[2].value = "0123"; }},
      {"occurs twice", [](Plan& p) { p.stages[2].params[1].name = "width"; }},
      {"spells one of type int", [](Plan& p) { p.stages[2].params[0].value = "+3"; }},
      {"spells one of type int", [](Plan& p) { p.stages[2].params[0].value = ""; }},
      {"spells one of type bool", [](Plan& p) { p.stages[2].params[0].type = ParamType::kBool; }},
      {"spells one of type float",
       [](Plan& p) {
         p.stages[2].params[0] = {"width", "3.0", ParamType::kFloat, ""};
       }},
      {"occurs twice", [](Plan& p) { p.stages[2].name = "sink"; }},
      {"name is empty", [](Plan& p) { p.stages[2].name.clear(); }},
  });
}

TEST_CASE("rules of ports") {
  check_rules({
      {"occurs twice", [](Plan& p) { p.stages[2].inputs[1].name = "x"; }},
      {"occurs twice", [](Plan& p) { p.stages[2].outputs[1].name = "again"; }},
      {"renewed without hold", [](Plan& p) { p.stages[2].inputs[0].renewed = true; }},
      {"hold_mask without hold", [](Plan& p) { p.stages[2].inputs[0].hold_mask = 1; }},
      {"no input that is not held", [](Plan& p) { p.stages[2].inputs[0].hold = true; }},
      {"no input that is not held", [](Plan& p) { p.stages[1].inputs.clear(); }},
      {"no output", [](Plan& p) { p.stages[2].outputs.clear(); }},
      {"one_of", [](Plan& p) { p.stages[2].outputs[0].one_of = -2; }},
      {"one_of", [](Plan& p) { p.stages[0].outputs[0].one_of = 0; }},
      {"in no one_of group is optional", [](Plan& p) { p.stages[2].outputs[1].optional = true; }},
      {"in no one_of group is optional", [](Plan& p) { p.stages[0].outputs[0].optional = true; }},
      {"a field for the numbers of no elements", [](Plan& p) { p.stages[2].inputs[0].index_bits = 1; }},
      {"over 4096 elements", [](Plan& p) { p.stages[2].inputs[0].gather = 4097; }},
      {"do not fit their field", [](Plan& p) { p.stages[2].inputs[0].gather = 1; }},
      {"neither a held input nor the sink gathers",
       [](Plan& p) { p.stages[1].inputs[0].gather = p.stages[1].inputs[0].index_bits = 1; }},
      {"always written, and in memory of its own",
       [](Plan& p) { p.stages[2].outputs[0].many = p.stages[2].outputs[0].index_bits = 1; }},
      {"passes on what its input gathers",
       [](Plan& p) { p.stages[3].inputs[0].gather = p.stages[3].inputs[0].index_bits = 1; }},
      {"told the number of elements",
       [](Plan& p) { p.stages[2].inputs[0].gather = p.stages[2].inputs[0].index_bits = 1; }},
      {"unknown element", [](Plan& p) { p.stages[2].inputs[0].type.element = "f16"; }},
      {"1 to 4 dimensions",
       [](Plan& p) {
         p.stages[2].inputs[0].type.dims.resize(5, {"d", 0, 0});
       }},
      {"1 to 4 dimensions", [](Plan& p) { p.stages[2].inputs[0].type.dims.clear(); }},
      {"1 to 4 dimensions",
       [](Plan& p) {
         p.stages[2].inputs[1].type.dims = {{"d", 0, 0}};
       }},
      {"has no name", [](Plan& p) { p.stages[2].inputs[0].type.dims[0].name.clear(); }},
      {"under 256 GiB", [](Plan& p) { p.stages[2].inputs[0].type.max_bytes = 1ULL << 38; }},
      {"but max_bytes is", [](Plan& p) { p.stages[2].inputs[0].type.dims[0].size = 8; }},
      {"too large",
       [](Plan& p) {
         p.stages[2].inputs[0].type.dims.assign(4, {"", 0xffffffff, 0});
       }},
      {"65535",
       [](Plan& p) {
         auto& outputs = p.stages[2].outputs;
         for (std::uint32_t i = 0; outputs.size() < 65535; ++i)
           outputs.push_back({std::to_string(i), test::bytes_type(1), -1});
       }},
  });
}

TEST_CASE("rules of loops") {
  check_rules({
      {"1 to 32 bits", [](Plan& p) { p.loops[0].bits = 0; }},
      {"1 to 32 bits", [](Plan& p) { p.loops[0].shift = 59; }},
      {"1 to 32 bits", [](Plan& p) { p.loops[0].shift = 0xffffffff; }},
      {"1 to 32 bits", [](Plan& p) { p.loops[0].bits = 33; }},
      {"does not fit", [](Plan& p) { p.loops[0].max = 64; }},
      {"name is empty", [](Plan& p) { p.loops[0].name.clear(); }},
      {"occurs twice", [](Plan& p) { p.loops.push_back(p.loops[0]); }},
      {"does not exist", [](Plan& p) { p.edges[2].loop = 1; }},
      {"does not exist", [](Plan& p) { p.edges[2].loop = -2; }},
      {"add one", [](Plan& p) { p.edges[2].step = 1; }},
      {"add one", [](Plan& p) { p.edges[2].keep = ~4ULL; }},
      {"a step without a loop", [](Plan& p) { p.edges[0].step = 4; }},
      {"without a loop edge",
       [](Plan& p) {
         p.edges[2].loop = -1;
         p.edges[2].step = 0;
       }},
  });
}

TEST_CASE("rules of replicas and counts") {
  check_rules({
      {"replica 0 of 0 does not exist", [](Plan& p) { p.edges[0].choice.replicas = 0; }},
      {"replica 0 of 65 does not exist", [](Plan& p) { p.edges[0].choice.replicas = 65; }},
      {"replica 2 of 2 does not exist",
       [](Plan& p) {
         p.edges[0].choice = {2, 2};
       }},
      {"by a field of the tag", [](Plan& p) { p.edges[0].choice.shift = 1; }},
      {"by a field of the tag", [](Plan& p) { p.edges[0].choice.bits = 33; }},
      {"a count goes from a scatter", [](Plan& p) { p.edges[0].count = true; }},
      {"neither a relay of single tokens nor a device that writes its packets chooses",
       [](Plan& p) { p.edges[4].choice.replicas = 2; }},
      {"2 blocks do not hold the elements",  // of which all go to the replica that has the instance
       [](Plan& p) {
         OutputPortPlan& port = p.stages[2].outputs[1];
         port.one_of = port.in_place = -1, port.many = 4, port.index_shift = 8, port.index_bits = 2;
         p.edges[3].min_blocks = 2;
       }},
  });
}

TEST_CASE("rules of edges") {
  check_rules({
      {"not an output port", [](Plan& p) { p.edges[0].from_stage = 4; }},
      {"not an output port", [](Plan& p) { p.edges[0].from_port = 2; }},
      {"not an output port", [](Plan& p) { p.edges[0].from_stage = 1; }},
      {"not an input port", [](Plan& p) { p.edges[0].to_stage = 4; }},
      {"not an input port", [](Plan& p) { p.edges[0].to_port = 2; }},
      {"differ in type", [](Plan& p) { p.edges[0].to_port = 1; }},
      {"its destination is not optional", [](Plan& p) { p.stages[1].inputs[0].optional = false; }},
      {"differ in type",
       [](Plan& p) {
         PortType& type = p.stages[1].inputs[0].type;
         type.dims[0] = {"", 8, 0};
         type.max_bytes = 192;
       }},
      {"the name of its lane has 65 bytes", [](Plan& p) { p.edges[0].lane = std::string(65, 'a'); }},
      {"min_blocks", [](Plan& p) { p.edges[0].min_blocks = 0; }},
      {"min_blocks", [](Plan& p) { p.edges[0].min_blocks = 5; }},
      {"same ports", [](Plan& p) { p.edges.push_back(p.edges[0]); }},
  });
}

TEST_CASE("rules of relays' edges, and of what there is room for") {
  check_rules({
      {"passed through 64 relays", [](Plan& p) { add_relays(p, 64); }},
      {"passed through 64 relays",  // in a circle
       [](Plan& p) {
         p.stages.push_back(p.stages[kRelay]);
         p.stages.back().name = "round";
         p.edges.push_back({4, 0, 4, 0, ~0ULL, 4, 0, 1, 4});
       }},
      {"of several writers a relay has one itself",
       [](Plan& p) {
         add_relays(p, 1);
         p.edges.push_back({kSourceStage, 0, kRelay, 0, 0, 0, -1, 1, 4});
         p.edges.push_back({kSourceStage, 0, 4, 0, 0, 0, -1, 1, 4});
       }},
      {"two relays pass on what one output wrote",
       [](Plan& p) {
         add_relays(p, 1);
         p.stages.push_back(p.stages[kRelay]);
         p.stages.back().name = "twin";
         p.edges.push_back(p.edges[3]);
         p.edges.back().to_stage = 5;
         p.edges.push_back({5, 0, 4, 0, ~0ULL, 0, -1, 1, 4});
       }},
      {"would need room for",
       [](Plan& p) {
         p.edges[2].blocks = 1U << 19;
         for (int k = 0; k < 100; ++k) {
           p.stages[0].outputs.push_back({"x" + std::to_string(k), test::bytes_type(1), -1});
           p.stages[2].inputs.push_back({"x" + std::to_string(k), test::bytes_type(1), false, 0});
           p.edges.push_back(
               {0, static_cast<std::uint32_t>(2 + k), 2, static_cast<std::uint32_t>(2 + k), 0, 0, -1, 1, 4});
         }
       }},
      {"ring slots", [](Plan& p) { p.edges[0].blocks = 1U << 20; }},
      {"no edge", [](Plan& p) { p.edges.erase(p.edges.begin() + 1); }},
      {"no edge",
       [](Plan& p) {
         p.stages[2].outputs.push_back({"more", test::bytes_type(1), -1});
       }},
      {"no edge",
       [](Plan& p) {
         p.stages[2].inputs.push_back({"more", test::bytes_type(1), false, 0});
       }},
      {"exceed 256 GiB", [](Plan& p) { p.stages[0].outputs[1].type.max_bytes = 1ULL << 36; }},
  });
}

TEST_CASE("rules of payloads behind headers") {
  check_rules({
      {"inline_bytes is 65537", [](Plan& p) { p.edges[0].inline_bytes = kMaxInlineBytes + 1; }},
      {"header rings would keep",
       [](Plan& p) {
         p.edges[0].blocks = 1U << 16;
         p.edges[0].inline_bytes = kMaxInlineBytes;
       }},
      {"'gpu:0' would keep",
       [](Plan& p) {
         p.edges[0].blocks = 24'000;
         p.edges[0].inline_bytes = kMaxInlineBytes;
       }},
  });
}

}  // namespace
}  // namespace woa
