// What a plan names is shown on terminals, in errors before all: a plan that was made by hand must not be able to steer
// them. Names of the compiler's are plain; paths, sources and values of parameters may be any and are no names.
#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/base/text.h"
#include "runtime/plan/validate.h"

namespace woa::validation {
namespace {

bool is_plain(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || begins_with_control(text)) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Finds the first text that is not plain. The place that it is told by has numbers, since names may be what is wrong.
class Texts {
 public:
  void plan(const Plan& plan) {
    text("graph", plan.graph), text("model", plan.model);
    each("controllers", plan.controllers,
         [&](const ControllerPlan& controller) { text("name", controller.name), text("backend", controller.backend); });
    each("stages", plan.stages, [&](const StagePlan& one) { stage(one); });
    each("loops", plan.loops, [&](const LoopPlan& loop) { text("name", loop.name); });
    each("edges", plan.edges, [&](const EdgePlan& edge) { text("lane", edge.lane); });
    if (plan.certificate) within("certificate", [&] { certificate(*plan.certificate); });
  }
  [[nodiscard]] const std::string& found() const { return found_; }

 private:
  void text(std::string_view field, std::string_view value) {
    if (found_.empty() && !is_plain(value)) found_ = place_ + std::string(field);
  }
  void within(const std::string& place, const auto& look) {
    const std::size_t outside = place_.size();
    place_ += place + ".";
    look();
    place_.resize(outside);
  }
  void each(const std::string& list, const auto& items, const auto& look) {
    std::size_t number = 0;
    for (const auto& item : items) within(list + "[" + std::to_string(number++) + "]", [&] { look(item); });
  }
  void keys(const std::string& map, const auto& entries) {
    each(map, entries, [&](const auto& entry) { text("key", entry.first); });
  }

  void stage(const StagePlan& stage) {
    text("name", stage.name), text("kernel", stage.kernel), text("declaration", stage.declaration);
    within("variant", [&] {
      text("kind", stage.variant.kind), text("entry", stage.variant.entry), text("core", stage.variant.core);
      each("global", stage.variant.global, [&](const std::string& dimension) { text("name", dimension); });
    });
    each("params", stage.params,
         [&](const ParamPlan& param) { text("name", param.name), text("secret_env", param.secret_env); });
    each("inputs", stage.inputs, [&](const InputPortPlan& port) { text("name", port.name), type(port.type); });
    each("outputs", stage.outputs, [&](const OutputPortPlan& port) { text("name", port.name), type(port.type); });
  }
  void type(const PortType& type) {
    text("type.element", type.element);
    each("type.dims", type.dims, [&](const Dimension& dim) { text("name", dim.name); });
  }
  void certificate(const Certificate& certificate) {
    text("goal.model", certificate.goal.model), text("goal.objective", certificate.goal.objective);
    text("costs_hash", certificate.costs_hash), text("status", certificate.status);
    text("method", certificate.method), text("prediction.bottleneck", certificate.prediction.bottleneck);
    const CostTable& costs = certificate.costs;
    keys("costs.cores", costs.cores);
    each("costs.components", costs.components, [&](const ComponentCosts& component) {
      text("controller", component.controller), text("cores", component.cores);
      keys("resources", component.resources);
    });
    each("costs.stages", costs.stages, [&](const StageCosts& one) {
      text("core", one.core);
      each("resources", one.resources, [&](const auto& resources) { keys("of", resources); });
    });
  }

  std::string place_, found_;
};

}  // namespace

Status validate_texts(const Plan& plan) {
  Texts texts;
  texts.plan(plan);
  if (texts.found().empty()) return {};
  return broken(texts.found(), " has a control character or is no UTF-8 text: a terminal could take it for commands");
}

}  // namespace woa::validation
