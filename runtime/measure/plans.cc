#include "runtime/measure/plans.h"

#include <string>

namespace woa::measure {
namespace {

constexpr std::uint32_t kTurnBits = 32;
constexpr std::uint64_t kSmallBlock = 4096;
constexpr std::uint64_t kAllCounters = ~std::uint64_t{0};
constexpr std::uint32_t kSpareBlocks = 7;  // of small ones, as the compiler has it; one of large ones

std::uint32_t spare_blocks(std::uint64_t bytes) { return bytes <= kSmallBlock ? kSpareBlocks : 1; }

StagePlan stage(const std::string& name, const std::string& kernel, std::uint32_t controller, std::uint64_t max_bytes) {
  StagePlan out;
  out.name = name;
  out.kernel = kernel;
  out.library = "lib" + kernel + ".so";
  out.variant.kind = "cpu";
  out.controller = controller;
  out.inputs.push_back({"token", {"bytes", {}, max_bytes}, false, 0});
  return out;
}

Plan empty_plan(const std::string& name, std::uint32_t window, std::uint64_t max_bytes, std::uint32_t controllers) {
  Plan plan;
  plan.graph = name;
  plan.window = window;
  plan.controllers.push_back({"host", ControllerKind::kHost, "host", 1});
  for (std::uint32_t c = 0; c < controllers; ++c)
    plan.controllers.push_back({"cpu:" + std::to_string(c), ControllerKind::kCpu, "cpu", 1});
  plan.stages.resize(2);
  plan.stages[kSourceStage].name = "source";
  plan.stages[kSourceStage].role = StageRole::kSource;
  plan.stages[kSourceStage].outputs.push_back({"token", {"bytes", {}, max_bytes}, -1});
  plan.stages[kSinkStage].name = "sink";
  plan.stages[kSinkStage].role = StageRole::kSink;
  plan.stages[kSinkStage].inputs.push_back({"token", {"bytes", {}, max_bytes}, false, 0});
  return plan;
}

Plan chain(const std::string& kernel, std::uint32_t stages, std::uint64_t max_bytes, std::uint32_t window,
           std::int32_t in_place) {
  Plan plan = empty_plan(kernel, window, max_bytes, stages);
  const std::uint32_t blocks = window + spare_blocks(max_bytes);
  std::uint32_t last = kSourceStage;
  for (std::uint32_t k = 0; k < stages; ++k) {
    plan.stages.push_back(stage(kernel + std::to_string(k), kernel, k + 1, max_bytes));
    plan.stages.back().outputs.push_back({"out", {"bytes", {}, max_bytes}, -1, in_place});
    plan.edges.push_back({last, 0, k + 2, 0, 0, 0, -1, 1, blocks});
    last = k + 2;
  }
  plan.edges.push_back({last, 0, kSinkStage, 0, 0, 0, -1, 1, blocks});
  return plan;
}

}  // namespace

Plan ping_pong(std::uint32_t window, std::uint64_t bytes, std::uint32_t inline_bytes) {
  Plan plan = empty_plan("ping-pong", window, bytes, 2);
  for (std::uint32_t c = 1; c <= 2; ++c) {
    plan.stages.push_back(stage(c == 1 ? "ping" : "pong", "ping", c, bytes));
    plan.stages.back().outputs = {{"again", {"bytes", {}, bytes}, 0}, {"done", {"bytes", {}, bytes}, 0}};
  }
  plan.loops.push_back({"ping", 0, kTurnBits, ~std::uint32_t{0}});
  const std::uint32_t blocks = window + spare_blocks(bytes);
  plan.edges = {{kSourceStage, 0, 2, 0, 0, 0, -1, 1, window},
                {2, 0, 3, 0, kAllCounters, 0, -1, 1, blocks},
                {3, 0, 2, 0, kAllCounters, 1, 0, 1, blocks},
                {2, 1, kSinkStage, 0, 0, 0, -1, 1, window},
                {3, 1, kSinkStage, 0, 0, 0, -1, 1, window}};
  for (EdgePlan& edge : plan.edges) edge.inline_bytes = inline_bytes;
  return plan;
}

Plan copies(std::uint32_t stages, std::uint64_t max_bytes, std::uint32_t window) {
  return chain("copy", stages, max_bytes, window, -1);
}

Plan touches(std::uint32_t stages, std::uint64_t max_bytes, std::uint32_t window) {
  return chain("touch", stages, max_bytes, window, 0);
}

Plan fan_out(std::uint32_t consumers, std::uint32_t controllers, std::uint64_t max_bytes) {
  Plan plan = empty_plan("fan-out", 1, max_bytes, controllers);
  plan.stages[kSinkStage].inputs.clear();
  for (std::uint32_t k = 0; k < consumers; ++k) {
    plan.stages.push_back(stage("consumer" + std::to_string(k), "null", 1 + k % controllers, max_bytes));
    plan.stages.back().params = {{"bytes", "0", ParamType::kInt, ""}};
    plan.stages.back().outputs.push_back({"token", {"bytes", {}, kToken}, -1});
    plan.stages[kSinkStage].inputs.push_back({"token" + std::to_string(k), {"bytes", {}, kToken}, false, 0});
    plan.edges.push_back({kSourceStage, 0, k + 2, 0, 0, 0, -1, 1, 1});
  }
  for (std::uint32_t k = 0; k < consumers; ++k) plan.edges.push_back({k + 2, 0, kSinkStage, k, 0, 0, -1, 1, 1});
  return plan;
}

Plan task_loop(const TaskGraph& graph) {
  constexpr std::uint32_t kFirst = 2, kBlocks = 1 + kSpareBlocks;
  const PortType token{"bytes", {}, kToken};
  Plan plan = empty_plan("task-loop", 1, kToken, 1);
  for (std::uint32_t task = 0; task < graph.tasks; ++task) {
    plan.stages.push_back(stage("task" + std::to_string(task), task == 0 ? "ping" : "copy", 1, kToken));
    if (task != 0) plan.stages.back().inputs.clear();
    plan.stages.back().outputs = {{"out", token, task == 0 ? 0 : -1}};
  }
  plan.stages[kFirst].outputs.push_back({"done", token, 0});
  plan.loops.push_back({"runs", 0, kTurnBits, ~std::uint32_t{0}});
  plan.edges = {{kSourceStage, 0, kFirst, 0}, {kFirst, 1, kSinkStage, 0}};
  for (const auto& [from, to] : graph.edges) {
    std::vector<InputPortPlan>& inputs = plan.stages[kFirst + to].inputs;
    const auto port = static_cast<std::uint32_t>(inputs.size());
    inputs.push_back({"in" + std::to_string(port), token, false, 0});
    plan.edges.push_back({kFirst + from, 0, kFirst + to, port, kAllCounters, 0, -1, 1, kBlocks});
  }
  plan.edges.push_back({kFirst + graph.tasks - 1, 0, kFirst, 0, kAllCounters, 1, 0, 1, kBlocks});
  return plan;
}

Plan two_stage_loop(const std::string& kernel, const std::string& next_kernel, Stateful stateful) {
  constexpr std::uint32_t kFirst = 2, kSecond = 3, kBlocks = 1 + kSpareBlocks;
  constexpr std::uint64_t kItem = 12, kMany = 1200, kHeld = 40'000;
  Plan plan = empty_plan("two-stage-loop", 1, kToken, 1);
  plan.stages[kSourceStage].outputs = {{"start", {"bytes", {}, kMany}, -1}, {"held", {"bytes", {}, kHeld}, -1}};
  plan.stages.push_back(stage("first", kernel, 1, kMany));
  plan.stages.push_back(stage("second", next_kernel, 1, kItem));
  StagePlan &first = plan.stages[kFirst], &second = plan.stages[kSecond];
  first.stateful = second.stateful = stateful;
  first.outputs = {{"item", {"bytes", {}, kItem}, -1}};
  second.inputs.push_back({"held", {"bytes", {}, kHeld}, true, 0});
  second.outputs = {{"again", {"bytes", {}, kMany}, 0}, {"done", {"bytes", {}, kToken}, 0}};
  plan.loops.push_back({"turns", 0, kTurnBits, ~std::uint32_t{0}});
  plan.edges = {{kSourceStage, 0, kFirst, 0},
                {kSourceStage, 1, kSecond, 1},
                {kFirst, 0, kSecond, 0, kAllCounters, 0, -1, 1, kBlocks},
                {kSecond, 0, kFirst, 0, kAllCounters, 1, 0, 1, kBlocks},
                {kSecond, 1, kSinkStage, 0}};
  return plan;
}

}  // namespace woa::measure
