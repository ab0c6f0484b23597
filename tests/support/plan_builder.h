// Plans made by hand, for tests of the runtime without the compiler.
#pragma once

#include <string>
#include <vector>

#include "runtime/plan/plan.h"

namespace woa::test {

constexpr std::uint32_t kBuilderWindow = 4;  // unless the test sets another

class PlanBuilder {
 public:
  // A graph with `inputs` and `outputs` of type bytes, each at most `max_bytes`.
  PlanBuilder(std::uint32_t inputs, std::uint32_t outputs, std::uint64_t max_bytes = 1024) : max_bytes_(max_bytes) {
    plan_.graph = "test";
    plan_.window = kBuilderWindow;
    plan_.controllers.push_back({"host", ControllerKind::kHost, "host", 1});
    plan_.stages.resize(2);
    plan_.stages[kSourceStage].name = "source";
    plan_.stages[kSourceStage].role = StageRole::kSource;
    for (std::uint32_t k = 0; k < inputs; ++k)
      plan_.stages[kSourceStage].outputs.push_back({"in" + std::to_string(k), type(), -1});
    plan_.stages[kSinkStage].name = "sink";
    plan_.stages[kSinkStage].role = StageRole::kSink;
    for (std::uint32_t k = 0; k < outputs; ++k)
      plan_.stages[kSinkStage].inputs.push_back({"out" + std::to_string(k), type(), false, 0});
  }

  std::uint32_t controller(const std::string& name, const std::string& backend = "function") {
    for (std::uint32_t c = 0; c < plan_.controllers.size(); ++c) {
      if (plan_.controllers[c].name == name) return c;
    }
    plan_.controllers.push_back({name, ControllerKind::kCpu, backend, 1});
    return static_cast<std::uint32_t>(plan_.controllers.size() - 1);
  }

  // A stage of kernel `kernel` with so many ports; returns its number.
  std::uint32_t stage(const std::string& name, const std::string& kernel, const std::string& on,
                      std::uint32_t inputs = 1, std::uint32_t outputs = 1) {
    StagePlan stage;
    stage.name = name;
    stage.kernel = kernel;
    stage.variant.kind = "cpu";
    stage.controller = controller(on);
    for (std::uint32_t k = 0; k < inputs; ++k) stage.inputs.push_back({"in" + std::to_string(k), type(), false, 0});
    for (std::uint32_t k = 0; k < outputs; ++k) stage.outputs.push_back({"out" + std::to_string(k), type(), -1});
    plan_.stages.push_back(std::move(stage));
    return static_cast<std::uint32_t>(plan_.stages.size() - 1);
  }

  // blocks 0: window x min_blocks.
  EdgePlan& edge(std::uint32_t from, std::uint32_t from_port, std::uint32_t to, std::uint32_t to_port,
                 std::uint32_t min_blocks = 1) {
    plan_.edges.push_back({from, from_port, to, to_port, ~std::uint64_t{0}, 0, -1, min_blocks, 0});
    return plan_.edges.back();
  }

  Plan& raw() { return plan_; }
  Plan build() {
    for (EdgePlan& edge : plan_.edges) {
      if (edge.blocks == 0) edge.blocks = edge.min_blocks * plan_.window;
    }
    return plan_;
  }

 private:
  PortType type() const { return {"bytes", {}, max_bytes_}; }
  std::uint64_t max_bytes_;
  Plan plan_;
};

}  // namespace woa::test
