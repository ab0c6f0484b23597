// Runs whose payloads stay in an OpenCL device between its stages, against the same stages on a cpu.
#include <array>
#include <cstring>
#include <string>

#include "controllers/cpu/register.h"
#include "controllers/gpu/opencl/register.h"
#include "runtime/transport/loopback/loopback_transport.h"
#include "tests/support/chain_plan.h"
#include "tests/support/kernel_yaml.h"
#include "tests/support/run_harness.h"
#include "tests/unit/controllers/opencl/opencl_rig.h"

namespace woa::test {
namespace {

constexpr std::uint32_t kStages = 3;
constexpr std::uint64_t kInstances = 12;

// source -> three stages of one kernel on one controller -> sink
Plan three_stages(const std::string& kernel, const PortType& type, const ControllerPlan& controller) {
  Plan plan = chain_plan(kStages, kernel, 1);
  plan.controllers[1] = controller;
  const std::string variant(variant_of(controller.backend));
  for (StagePlan& stage : plan.stages) {
    for (InputPortPlan& port : stage.inputs) port.type = type;
    for (OutputPortPlan& port : stage.outputs) port.type = type;
    if (stage.role != StageRole::kKernel) continue;
    stage.library = "lib" + kernel + ".so";
    stage.variant = read_variant(WOA_BUILD_DIR "/kernels/" + kernel + "/kernel.yaml", variant);
    stage.scratch_bytes = 1 << 20;  // what the cpu variants declare, or more
  }
  return plan;
}

Outcome run_shipped(const Plan& plan, const Input& input) {
  LoopbackTransport transport;
  BackendRegistry backends;
  REQUIRE(backends.add(cpu_factory()).ok());
  REQUIRE(backends.add(opencl_factory()).ok());
  RunOptions options;
  options.backends = &backends;
  options.transport = &transport;
  options.kernel_path = {WOA_BUILD_DIR "/kernels"};
  return run_plan(plan, options, kInstances, input);
}

// Runs the stages on both; the results are equal. Returns the gpu's run.
Outcome compare(const Plan& cpu, const Plan& gpu, const Input& input) {
  const Outcome on_cpu = run_shipped(cpu, input);
  Outcome on_gpu = run_shipped(gpu, input);
  REQUIRE(on_cpu.outputs.size() == kInstances);
  REQUIRE(on_gpu.outputs.size() == kInstances);
  CHECK((on_gpu.outputs == on_cpu.outputs));
  return on_gpu;
}

// Without dimensions, which the device gets as arguments.
std::uint64_t data_bytes(const Outcome& outcome, const PortType& type, std::size_t output) {
  std::uint64_t bytes = 0;
  for (const auto& [instance, outputs] : outcome.outputs) bytes += outputs[output].size() - type.prefix_bytes();
  return bytes;
}

// The device copies at the ends alone.
void compare_chain(const std::string& kernel, const PortType& type, const Input& input) {
  make_opencl();  // skips where there is none
  const Outcome outcome = compare(three_stages(kernel, type, make_controller("cpu:0", *find_backend("cpu"))),
                                  three_stages(kernel, type, make_controller("gpu:0", *find_backend("opencl"))), input);
  std::uint64_t in = 0;
  for (std::uint64_t i = 0; i < kInstances; ++i) in += input(i, 0).size() - type.prefix_bytes();
  const auto& edges = outcome.report.edges;
  REQUIRE(edges.size() == kStages + 1);
  CHECK(edges.front().copied_bytes == in);
  for (std::uint32_t e = 1; e < kStages; ++e) CHECK(edges[e].copied_bytes == 0);
  CHECK(edges.back().copied_bytes == data_bytes(outcome, type, 0));
}

// The sink reads what each stage writes.
Plan all_read(Plan plan) {
  const StagePlan first = plan.stages[kSinkStage];
  for (std::uint32_t k = 1; k < kStages; ++k) {
    InputPortPlan port = first.inputs[0];
    port.name += std::to_string(k);
    plan.stages[kSinkStage].inputs.push_back(port);
    EdgePlan edge = plan.edges.back();
    edge.from_stage = 1 + k;
    edge.to_port = k;
    plan.edges.insert(plan.edges.end() - 1, edge);
  }
  return plan;
}

std::string image(std::array<std::uint32_t, 3> dims) {
  std::string payload(kPayloadAlignment, '\0');
  std::memcpy(payload.data(), dims.data(), sizeof dims);
  for (std::uint32_t k = 0; k < dims[0] * dims[1] * dims[2]; ++k) payload.push_back(static_cast<char>(k * k % 251));
  return payload;
}

TEST_CASE("three stages of bytes copy nothing between them") {
  compare_chain("invert", {"bytes", {}, kMaxBytes}, [](std::uint64_t i, std::uint32_t) {
    return std::string(i == 1 ? 0 : kMaxBytes - i, static_cast<char>('A' + i));
  });
}

TEST_CASE("three stages of images copy nothing between them, and know their dimensions") {
  compare_chain("sharpen3x3", array_type({"height", "width", "channels"}), [](std::uint64_t i, std::uint32_t) {
    return image({static_cast<std::uint32_t>(i * 37), 211, 1 + static_cast<std::uint32_t>(i % 4)});
  });
}

TEST_CASE("what stages and the host read is copied once, for the host") {
  make_opencl();
  const PortType type = array_type({"height", "width", "channels"});
  const Input input = [](std::uint64_t i, std::uint32_t) {
    return image({100, 1 + static_cast<std::uint32_t>(i * 31), 3});
  };
  const auto plan = [&](const char* name, const char* backend) {
    return all_read(three_stages("sharpen3x3", type, make_controller(name, *find_backend(backend))));
  };
  const Outcome outcome = compare(plan("cpu:0", "cpu"), plan("gpu:0", "opencl"), input);
  for (std::size_t e = 0; e < outcome.plan.edges.size(); ++e) {
    const EdgePlan& edge = outcome.plan.edges[e];
    if (edge.from_stage == kSourceStage) continue;
    const bool leaves = edge.to_stage == kSinkStage;
    CHECK(outcome.report.edges[e].copied_bytes == (leaves ? data_bytes(outcome, type, edge.to_port) : 0));
  }
}

}  // namespace
}  // namespace woa::test
