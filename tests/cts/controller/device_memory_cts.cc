// Payloads that stay in a device's memory between the stages of its controller, on function kernels that play a device.
#include <cstring>

#include "tests/cts/controller/in_one_process.h"
#include "tests/support/device_backend.h"

namespace woa::test {
namespace {

Outcome run_on_device(const Plan& plan, const char* model, std::uint64_t instances, const Input& input = number,
                      const Functions& kernels = functions()) {
  return run_with(function_factory<DeviceBackend>(kernels), plan, model, instances, input);
}

// Bytes that a device copied to write or read payloads of the edge between two stages.
std::uint64_t copied(const Outcome& outcome, std::uint32_t from, std::uint32_t to) {
  std::uint64_t bytes = 0;
  for (std::size_t e = 0; e < outcome.plan.edges.size(); ++e) {
    const EdgePlan& edge = outcome.plan.edges[e];
    if (edge.from_stage == from && edge.to_stage == to) bytes += outcome.report.edges[e].copied_bytes;
  }
  return bytes;
}

PortType matrix() { return {"u8", {{"rows", 0, 0}, {"columns", 0, 0}}, 4096}; }

// The payload of a matrix: its dimensions in a line, then its data.
std::string matrix_of(std::uint32_t rows, std::uint32_t columns, char first) {
  std::string payload(kPayloadAlignment, '\0');
  std::memcpy(payload.data(), &rows, sizeof rows);
  std::memcpy(payload.data() + sizeof rows, &columns, sizeof columns);
  for (std::uint32_t k = 0; k < rows * columns; ++k) payload.push_back(static_cast<char>(first + k % 50));
  return payload;
}

// Swaps the dimensions, and leaves the data as they are.
void swap_dims(Firing& firing, const StagePlan&) {
  const woa_input& input = firing.inputs[0];
  write(firing, 0, read(firing, 0));
  firing.outputs[0].dims[0] = input.dims[1];
  firing.outputs[0].dims[1] = input.dims[0];
}

}  // namespace

TEST_CASE("between stages of a device nothing is copied; at its ends every byte is, once") {
  const Input payload = [](std::uint64_t i, std::uint32_t) {
    return std::string(100 + i, static_cast<char>('A' + i % 20));
  };
  const Plan plan = device_chain(4);
  const Outcome outcome = run_on_device(plan, "woa", 100, payload);
  REQUIRE(outcome.outputs.size() == 100);
  std::uint64_t in = 0, out = 0;
  for (const auto& [i, outputs] : outcome.outputs) {
    REQUIRE(outputs[0] == payload(i, 0) + "abcd");
    in += payload(i, 0).size();
    out += outputs[0].size();
  }
  CHECK(copied(outcome, kSourceStage, 2) == in);
  for (std::uint32_t s = 2; s < 5; ++s) CHECK(copied(outcome, s, s + 1) == 0);
  CHECK(copied(outcome, 5, kSinkStage) == out);
}

namespace {

Plan swapping_chain(std::uint32_t stages, const PortType& output) {
  Plan plan = device_chain(stages, "swap_dims");
  for (StagePlan& stage : plan.stages) {
    for (InputPortPlan& port : stage.inputs) port.type = matrix();
    for (OutputPortPlan& port : stage.outputs) port.type = output;
  }
  return plan;
}

}  // namespace

TEST_CASE("dimensions with one name in an input and an output have one size") {
  const Plan plan = swapping_chain(2, matrix());
  const Input input = [](std::uint64_t i, std::uint32_t) {
    return matrix_of(static_cast<std::uint32_t>(i + 2), 3, 'a');
  };
  const Outcome outcome = run_on_device(plan, "woa", 3, input, {{"swap_dims", swap_dims}});
  require_outputs(outcome, 1, [&](std::uint64_t) { return matrix_of(3, 3, 'a'); });  // instance 1 is a square
  for (const std::uint64_t i : {0U, 2U}) {
    CHECK(outcome.failures.at(i).code == Code::kBrokenContract);
    CHECK(outcome.failures.at(i).stage == "a");
    const std::string found = "input 'in0' has rows = " + std::to_string(i + 2);
    CHECK(outcome.failures.at(i).message.find(found) != std::string::npos);
  }
}

TEST_CASE("dimensions of a payload in a device are known to the controller") {
  PortType turned = matrix();
  std::swap(turned.dims[0].name, turned.dims[1].name);
  const Plan plan = swapping_chain(3, turned);
  const Input input = [](std::uint64_t i, std::uint32_t) { return matrix_of(static_cast<std::uint32_t>(i), 3, 'a'); };
  const Outcome outcome = run_on_device(plan, "woa", 20, input, {{"swap_dims", swap_dims}});
  require_outputs(outcome, 20, [&](std::uint64_t i) { return matrix_of(3, static_cast<std::uint32_t>(i), 'a'); });
}

TEST_CASE(
    "all routes give the same results, and a payload that leaves the device is copied once, for all who read it "
    "there") {
  // a -> {b, sink}, b -> c -> sink, and another controller's d reads b, too
  PlanBuilder builder(1, 3);
  const auto a = builder.stage("a", "append", "cpu:0"), b = builder.stage("b", "append", "cpu:0"),
             c = builder.stage("c", "append", "cpu:0"), d = builder.stage("d", "append", "cpu:1"),
             e = builder.stage("e", "join", "cpu:0", 2);
  builder.edge(kSourceStage, 0, a, 0);
  builder.edge(a, 0, b, 0);
  builder.edge(a, 0, kSinkStage, 0);
  builder.edge(b, 0, c, 0);
  builder.edge(b, 0, d, 0);
  builder.edge(c, 0, e, 0);
  builder.edge(c, 0, e, 1);
  builder.edge(e, 0, kSinkStage, 1);
  builder.edge(d, 0, kSinkStage, 2);
  const Plan plan = with_device(builder.build());
  for (const char* model : {"woa", "rpc-hub", "rpc-fused", "rpc-polled"}) {
    const Outcome outcome = run_on_device(plan, model, 50);
    INFO(model);
    require_outputs(outcome, 50, [&](std::uint64_t i) {
      const std::string text = std::to_string(i) + "a";
      return std::vector{text, text + "bc+" + text + "bc", text + "bd"};
    });
    if (model == std::string("woa")) {
      std::uint64_t text = 0;
      for (const auto& [i, outputs] : outcome.outputs) text += outputs[0].size();
      for (const auto& [from, to] : {std::pair{a, b}, {b, c}, {c, e}}) CHECK(copied(outcome, from, to) == 0);
      CHECK(copied(outcome, a, kSinkStage) == text);
      CHECK(copied(outcome, b, d) == 2 * (text + 50));  // d's device reads it, too
    }
  }
}

TEST_CASE("a device reads in host memory what another device keeps for its own stages, too") {
  const Outcome outcome = run_on_device(with_device(fork_plan("append", "cpu:0")), "woa", 20);
  require_outputs(outcome, 20, [&](std::uint64_t i) {
    return std::vector{std::to_string(i) + "ab", std::to_string(i) + "ac"};
  });
}

TEST_CASE("an absent token names no block in a device, whatever the one before it named") {
  Plan plan = device_chain(3, "copy");  // the stage between copies nothing to host memory
  StagePlan &maybe = plan.stages[2], &look = plan.stages[3];
  maybe.kernel = "if_even";
  look.kernel = "look";
  maybe.outputs[0].optional = look.inputs[0].optional = true;
  Functions kernels = functions();
  kernels["look"] = [](Firing& firing, const StagePlan&) {
    const std::string absent = firing.inputs[0].data == nullptr ? "none" : "a block";
    write(firing, 0, firing.inputs[0].absent != 0 ? absent : read(firing, 0));
  };
  const Outcome outcome = run_on_device(plan, "woa", 20, number, kernels);
  require_outputs(outcome, 20, [&](std::uint64_t i) { return (i % 2 == 0 ? std::to_string(i) : "none"); });
}

TEST_CASE("poison frees blocks in a device") {
  Plan plan = device_chain(4, "copy");
  plan.stages[4].kernel = "fail_3";
  for (EdgePlan& edge : plan.edges) edge.blocks = edge.min_blocks;
  const Outcome outcome =
      run_on_device(plan, "woa", 100, [](std::uint64_t i, std::uint32_t) { return std::to_string(i % 4); });
  REQUIRE(outcome.outputs.size() == 75);
  REQUIRE(outcome.failures.size() == 25);
  for (const auto& [i, failure] : outcome.failures) REQUIRE(failure.stage == "c");
}

}  // namespace woa::test
