#include "bench/micro/plans.h"

#include <string>

namespace woa::bench {
namespace {

constexpr std::uint32_t kTurnBits = 32;
constexpr std::uint64_t kSmallBlock = 4096;
constexpr std::uint32_t kSpareBlocks = 7;  // so that a writer need not wait for news of the block it used last

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
  const std::uint32_t blocks = max_bytes <= kSmallBlock ? window + kSpareBlocks : window;
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
  const std::uint64_t all = ~std::uint64_t{0};
  const std::uint32_t blocks = window + (bytes <= kSmallBlock ? kSpareBlocks : 1);
  plan.edges = {{kSourceStage, 0, 2, 0, 0, 0, -1, 1, window},
                {2, 0, 3, 0, all, 0, -1, 1, blocks},
                {3, 0, 2, 0, all, 1, 0, 1, blocks},
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

}  // namespace woa::bench
